package command

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh"
)

// Bar shows the progress of a scan in one line that it rewrites. The zero value shows nothing.
//
// The progress bar libraries add 0.3 to 1 ms to every run, shown or not: as much as a whole
// search of a small file. One line with a rate does not need them.
type Bar struct {
	quit, gone chan struct{}
}

// When a bar is drawn, and what removes it from the screen.
const (
	BarEvery   = 100 * time.Millisecond
	BarAfter   = 500 * time.Millisecond // a bar that flashes up briefly only distracts
	barColumns = 24
	ClearLine  = "\r\x1b[K"
)

// Bar starts a bar on standard error, if wanted; total is the number of bytes to read, 0 if unknown. By default it does
// not if lines of results go to the same terminal: the bar would get in between.
func (l *Local) Bar(name string, total int64, lines bool) *Bar {
	fits := !l.Quiet && IsTerminal(l.Err) && !(lines && IsTerminal(l.Console.Out))
	if l.Progress == "never" || l.Progress == "auto" && !fits {
		return &Bar{}
	}
	b := &Bar{quit: make(chan struct{}), gone: make(chan struct{})}
	wait := time.Duration(0)
	if l.Progress == "auto" {
		wait = BarAfter
	}
	go b.show(l.Err, name, total, &l.Bytes, wait)
	return b
}

// bytesOf returns the number of bytes to scan, 0 if unknown.
func (l *Local) bytesOf(in *thresh.Input) int64 {
	n, known := in.Bytes()
	switch {
	case l.Options.Length != nil:
		return *l.Options.Length
	case known:
		return n - l.Options.Offset
	}
	return 0
}

// show draws the bar every BarEvery, from wait on, until quit is closed.
func (b *Bar) show(w *os.File, name string, total int64, done *atomic.Int64, wait time.Duration) {
	defer close(b.gone)
	began := time.Now()
	next := time.NewTimer(wait)
	defer next.Stop()
	for shown := false; ; shown = true {
		select {
		case <-b.quit:
			switch {
			case wait == 0: // --progress always: leave the final state on the screen
				fmt.Fprint(w, ClearLine, BarLine(name, done.Load(), total, time.Since(began)), "\n")
			case shown:
				fmt.Fprint(w, ClearLine)
			}
			return
		case <-next.C:
		}
		fmt.Fprint(w, ClearLine, BarLine(name, done.Load(), total, time.Since(began)))
		next.Reset(BarEvery)
	}
}

// BarLine formats the progress of a scan: "disk.img [=====>    ] 52 % 2.1 of 4.0 GiB 1.3 GB/s 2s left".
func BarLine(name string, done, total int64, took time.Duration) string {
	rate := float64(done) / max(took.Seconds(), 1e-9)
	gib := func(n int64) float64 { return float64(n) / (1 << 30) }
	if total <= 0 {
		return fmt.Sprintf("%s %.1f GiB %.2f GB/s", name, gib(done), rate/1e9)
	}
	part := min(float64(done)/float64(total), 1)
	full := int(part * barColumns)
	gauge := strings.Repeat("=", full) + ">" + strings.Repeat(" ", barColumns-full)
	line := fmt.Sprintf("%s [%s] %3.0f %% %.1f of %.1f GiB %.2f GB/s",
		name, gauge, 100*part, gib(done), gib(total), rate/1e9)
	if rate > 0 {
		left := time.Duration(float64(total-done) / rate * float64(time.Second))
		line += fmt.Sprintf(" %s left", max(left, 0).Round(time.Second))
	}
	return line
}

// Stop removes the bar from the screen.
func (b *Bar) Stop() {
	if b.quit != nil {
		close(b.quit)
		<-b.gone
	}
}
