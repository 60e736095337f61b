package command

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/term"

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
	BarEvery  = 100 * time.Millisecond
	BarAfter  = 500 * time.Millisecond // a bar that flashes up briefly only distracts
	ClearLine = "\r\x1b[K"
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
	p, look := Progress{Name: name, Total: total}, waits{name: name, total: total}
	for shown := false; ; shown = true {
		select {
		case <-b.quit:
			switch {
			case wait == 0: // --progress always: leave the final state on the screen
				p.Ended = true
				p.At(done.Load(), time.Since(began))
				fmt.Fprint(w, ClearLine, p.Line(ColumnsOf(w)), "\n")
			case shown:
				fmt.Fprint(w, ClearLine)
			}
			return
		case <-next.C:
		}
		p.At(done.Load(), time.Since(began))
		if p.Waits = ""; p.stalled() {
			p.Waits = look.what()
		}
		fmt.Fprint(w, ClearLine, p.Line(ColumnsOf(w)))
		next.Reset(BarEvery)
	}
}

// ColumnsOf returns how many columns a terminal has, 0 if it is none or does not say.
func ColumnsOf(w *os.File) int {
	columns, _, _ := term.GetSize(int(w.Fd()))
	return columns
}

// Stop removes the bar from the screen.
func (b *Bar) Stop() {
	if b.quit != nil {
		close(b.quit)
		<-b.gone
		b.quit = nil
	}
}
