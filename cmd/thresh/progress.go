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

// bar shows how far a scan is, as one line that is written over and over. The zero value
// shows nothing.
//
// The libraries for this take 0.3 to 1 ms to start, in every run, shown or not: as much as
// a search of a small file takes altogether. A line with a rate needs none of them.
type bar struct {
	quit, gone chan struct{}
}

const (
	barEvery   = 100 * time.Millisecond
	barAfter   = 500 * time.Millisecond // a bar that flashes by only disturbs
	barColumns = 24
	clearLine  = "\r\x1b[K"
)

// progress starts a bar for an input on standard error, when it is wanted. Between lines of
// results on the same terminal it would only be in the way.
func (s *session) progress(in *thresh.Input, done *atomic.Int64, lines bool) *bar {
	return s.bar(in.Name(), s.totalBytes(in), done, lines)
}

// bar starts a bar; total is 0 where nobody knows how much there is.
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

// totalBytes returns how much there is to scan, 0 where nobody knows.
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

func (b *bar) show(w *os.File, name string, total int64, done *atomic.Int64, wait time.Duration) {
	defer close(b.gone)
	began := time.Now()
	next := time.NewTimer(wait)
	defer next.Stop()
	for shown := false; ; shown = true {
		select {
		case <-b.quit:
			switch {
			case wait == 0: // whoever wants it always wants to see the end
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

// barLine writes the state of a scan: "disk.img [=====>    ] 52 % 2.1 of 4.0 GiB 1.3 GB/s 2s left".
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

// stop takes the bar off the screen.
func (b *bar) stop() {
	if b.quit != nil {
		close(b.quit)
		<-b.gone
	}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
