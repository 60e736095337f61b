package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/thresh-dev/thresh/lab/measure"
)

// progress shows how far a session has come: a line that changes on a terminal, and a line now and then
// elsewhere.
type progress struct {
	w        io.Writer
	columns  int // of the terminal, 0 if it is none
	last     time.Time
	quietFor time.Duration
}

const clearLine = "\r\x1b[K"

func newProgress(w io.Writer) *progress {
	p := &progress{w: w, quietFor: 20 * time.Second}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.columns = 80
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 20 {
			p.columns = columns
		}
	}
	return p
}

func (p *progress) show(now measure.Progress) {
	line := progressLine(now)
	if p.columns > 0 {
		fmt.Fprint(p.w, clearLine, line[:min(len(line), p.columns-1)])
		return
	}
	if time.Since(p.last) >= p.quietFor {
		p.last = time.Now()
		fmt.Fprintln(p.w, line)
	}
}

// progressLine formats progress: " 34 %  3m12s left  needle/v07, warm, 4 workers: run 2 of 5".
func progressLine(now measure.Progress) string {
	if now.Done == 0 {
		return now.Doing
	}
	return fmt.Sprintf("%3.0f %%  %v left  %s", 100*now.Done, now.Left.Round(time.Second), now.Doing)
}

// note shows a message that stays.
func (p *progress) note(text string) {
	p.end()
	fmt.Fprintln(p.w, "thresh-lab:", text)
}

// end removes the line from a terminal.
func (p *progress) end() {
	if p.columns > 0 {
		fmt.Fprint(p.w, clearLine)
	}
}
