package main

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"github.com/thresh-dev/thresh"
)

// bar shows the progress of a scan in one line that it rewrites. The zero value shows nothing.
//
// The progress bar libraries add 0.3 to 1 ms to every run, shown or not: as much as a whole
// search of a small file. One line with a rate does not need them.
type bar struct {
	quit, gone chan struct{}
}

const (
	barEvery   = 100 * time.Millisecond
	barAfter   = 500 * time.Millisecond // a bar that flashes up briefly only distracts
	barColumns = 24
	clearLine  = "\r\x1b[K"
)

// progress starts a bar for an input on standard error, if wanted. By default it does not if
// lines of results go to the same terminal: the bar would get in between.
func (s *session) progress(in *thresh.Input, done *atomic.Int64, lines bool) *bar {
	return s.bar(in.Name(), s.totalBytes(in), done, lines)
}

// bar starts a bar; total is the number of bytes to scan, 0 if unknown.
func (s *session) bar(name string, total int64, done *atomic.Int64, lines bool) *bar {
	f := s.shared
	fits := !f.quiet && isTerminal(s.console.err) && !(isTerminal(s.console.out) && lines)
	if f.progress == "never" || f.progress == "auto" && !fits {
		return &bar{}
	}
	b := &bar{quit: make(chan struct{}), gone: make(chan struct{})}
	wait := time.Duration(0)
	if f.progress == "auto" {
		wait = barAfter
	}
	go b.show(s.console.err, name, total, done, wait)
	return b
}

// totalBytes returns the number of bytes to scan, 0 if unknown.
func (s *session) totalBytes(in *thresh.Input) int64 {
	n, known := in.Bytes()
	switch {
	case s.options.Length != nil:
		return *s.options.Length
	case known:
		return n - s.options.Offset
	}
	return 0
}

// show draws the bar every barEvery, from wait on, until quit is closed.
func (b *bar) show(w *os.File, name string, total int64, done *atomic.Int64, wait time.Duration) {
	defer close(b.gone)
	began := time.Now()
	next := time.NewTimer(wait)
	defer next.Stop()
	for shown := false; ; shown = true {
		select {
		case <-b.quit:
			switch {
			case wait == 0: // --progress always: leave the final state on the screen
				fmt.Fprint(w, clearLine, barLine(name, done.Load(), total, time.Since(began)), "\n")
			case shown:
				fmt.Fprint(w, clearLine)
			}
			return
		case <-next.C:
		}
		fmt.Fprint(w, clearLine, barLine(name, done.Load(), total, time.Since(began)))
		next.Reset(barEvery)
	}
}

// barLine formats the progress of a scan: "disk.img [=====>    ] 52 % 2.1 of 4.0 GiB 1.3 GB/s 2s left".
func barLine(name string, done, total int64, took time.Duration) string {
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

// stop removes the bar from the screen.
func (b *bar) stop() {
	if b.quit != nil {
		close(b.quit)
		<-b.gone
	}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
