package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/command"
)

// show draws a line for each input, and rewrites them until stop is called.
func (r *blankRun) show() (stop func()) {
	terminal := command.IsTerminal(r.console.Err)
	if r.Progress == "never" || r.Progress == "auto" && (r.Quiet || !terminal) {
		return func() {}
	}
	wait := time.Duration(0)
	if r.Progress == "auto" {
		wait = command.BarAfter
	}
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		began := time.Now()
		next := time.NewTimer(wait)
		defer next.Stop()
		for drawn := false; ; drawn = true {
			select {
			case <-quit:
				if wait == 0 { // --progress always: leave the final state on the screen
					r.draw(drawn, time.Since(began))
				} else if drawn {
					fmt.Fprint(r.console.Err, strings.Repeat("\x1b[A"+command.ClearLine, len(r.inputs)))
				}
				return
			case <-next.C:
			}
			r.draw(drawn, time.Since(began))
			next.Reset(command.BarEvery)
		}
	}()
	return func() { close(quit); <-gone }
}

// draw writes a line for each input over those drawn before. The rate is that of this session.
func (r *blankRun) draw(again bool, took time.Duration) {
	var b strings.Builder
	if again {
		b.WriteString(strings.Repeat("\x1b[A", len(r.inputs)))
	}
	for i, in := range r.inputs {
		past := r.past[i].Done.End - r.past[i].Done.Off
		total := in.Range.Len()
		if in.Range.End == math.MaxInt64 {
			total = 0 // a stream
		}
		b.WriteString(command.ClearLine + blankLine(in.Name, past, r.done[i].Bytes.Load(), total, took) + "\n")
	}
	fmt.Fprint(r.console.Err, b.String())
}

// blankLine formats the progress of an input of which a part was done in earlier sessions. The rest is
// as long as if this session had only that to do.
func blankLine(name string, past, done, total int64, took time.Duration) string {
	if total <= 0 {
		return command.BarLine(name, done, 0, took)
	}
	line := command.BarLine(name, done-past, total-past, took)
	if past == 0 {
		return line
	}
	return line + fmt.Sprintf(", after %.1f GiB done before", float64(past)/(1<<30))
}
