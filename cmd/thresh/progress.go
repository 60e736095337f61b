package main

import (
	"os"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/thresh-dev/thresh"
)

// bar shows how far a scan is. The zero value shows nothing.
type bar struct {
	quit, gone chan struct{}
}

const (
	barEvery = 100 * time.Millisecond
	barAfter = 500 * time.Millisecond // a bar that flashes by only disturbs
)

// progress starts a bar on standard error, when it is wanted.
func (s *finding) progress(in *thresh.Input, done *atomic.Int64) *bar {
	f := s.flags
	// A bar between lines of results on the same terminal would only be in the way.
	fits := !f.quiet && isTerminal(s.console.err) && !(isTerminal(s.console.out) && f.all)
	if f.progress == "never" || f.progress == "auto" && !fits {
		return &bar{}
	}
	total, known := in.Bytes()
	if !known {
		total = -1
	} else {
		total -= s.options.Offset
	}
	if s.options.Length != nil {
		total = *s.options.Length
	}
	b := &bar{quit: make(chan struct{}), gone: make(chan struct{})}
	p := progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(s.console.err),
		progressbar.OptionSetDescription(in.Name()),
		progressbar.OptionShowBytes(true),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(barEvery),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetWidth(24),
		progressbar.OptionUseANSICodes(os.Getenv("NO_COLOR") == ""))
	go b.show(p, done, f.progress == "always")
	return b
}

func (b *bar) show(p *progressbar.ProgressBar, done *atomic.Int64, atOnce bool) {
	defer close(b.gone)
	tick := time.NewTicker(barEvery)
	defer tick.Stop()
	began := time.Now()
	shown := atOnce
	for {
		if shown {
			// The bar is drawn for people: that a terminal cannot be written to must not
			// end the scan.
			_ = p.Set64(done.Load())
		}
		select {
		case <-b.quit:
			if shown {
				_ = p.Clear()
			}
			return
		case <-tick.C:
			shown = shown || time.Since(began) > barAfter
		}
	}
}

// stop takes the bar off the screen.
func (b *bar) stop() {
	if b.quit != nil {
		close(b.quit)
		<-b.gone
	}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
