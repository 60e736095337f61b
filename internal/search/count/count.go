// Package count turns what a user wants counted into searchers that yield nothing and keep
// a sum, which is added up when the workers have ended.
//
// Nearly everything may be counted in any order. The exception is what depends on all the
// bytes before, as whether a line feed lies inside quotes does: a piece is then summed up
// for every state that it may begin in, and the sums are composed in file order. So nobody
// guesses, and nobody waits.
package count

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/histogram"
	"github.com/thresh-dev/thresh/internal/kernel/stats"
	"github.com/thresh-dev/thresh/internal/scan"
)

// Counter is a compiled question. It is immutable and safe for concurrent use.
type Counter struct {
	scan.Traits
	speed  func(b []byte)
	begin  func(r *Run) func() tally // for an input; what it returns makes a worker's tally
	finish func(r *Result)           // adds what only the end of the input tells; may be nil
	// figures fills in what is made of all values; nil where that is the count alone.
	figures func(r *Result) error
}

// Speed runs the kernel over all of b. It serves to measure the kernel.
func (c *Counter) Speed(b []byte) { c.speed(b) }

// tally is what one worker has counted.
type tally interface {
	// add counts what begins in the block's own bytes. Where the bytes of a mapping cannot
	// be read it is left by a panic, and called again for the same offset with fewer bytes:
	// so it adds to the tally only after its last look at the block.
	add(b engine.Block)
	// hole counts a range of zeros that nobody looks at. Values that begin in it end in it,
	// or in further zeros.
	hole(r source.Range)
	// sum adds the tally to the result.
	sum(into *Result) error
}

// Result is what was counted.
type Result struct {
	Count     int64
	Stats     *Stats            // of Statistics, nil of others
	Histogram *histogram.Result // of Histogram, nil of others

	last    lastByte
	summary *stats.Summary
	bins    *histogram.Counter
	// What has to be composed in order.
	rows    *records // one of them, which share an order
	reaches *scan.Order[reaches]
}

// Add adds the result for another input to a total. Its figures are made by Total.
func (r *Result) Add(other *Result) error {
	r.Count += other.Count
	switch {
	case other.summary == nil:
	case r.summary == nil:
		r.summary = other.summary
	default:
		r.summary.Merge(other.summary)
	}
	if other.bins == nil {
		return nil
	}
	if r.bins == nil {
		r.bins = other.bins
		return nil
	}
	return r.bins.Merge(other.bins)
}

// Total makes the figures of a result to which others were added.
func (c *Counter) Total(r *Result) error {
	if c.figures == nil {
		return nil
	}
	return c.figures(r)
}

// Run is the counting in a range of one input.
type Run struct {
	counter *Counter
	file    *source.File
	span    source.Range
	tally   func() tally
	lost    func(engine.UnreadError)
	stop    *atomic.Bool

	mu    sync.Mutex
	idle  []tally // of workers that have ended; the next ones go on with them
	holes tally
	err   error
}

// Begin begins to count in a range of a file. Where the range ends behind the end of the
// input, it ends there.
func (c *Counter) Begin(f *source.File, span source.Range) *Run {
	r := &Run{counter: c, file: f, span: span}
	r.tally = c.begin(r)
	return r
}

// Searcher returns the searcher of one worker; it is a scan.NewSearcher. The tallies of a
// phase whose workers have ended are used again in the next.
func (r *Run) Searcher(lost func(engine.UnreadError), stop *atomic.Bool) scan.Searcher {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop == nil { // they are those of the scan, the same for all workers
		r.lost, r.stop = lost, stop
	}
	if n := len(r.idle); n > 0 {
		t := r.idle[n-1]
		r.idle = r.idle[:n-1]
		return &worker{r, t}
	}
	return &worker{r, r.tally()}
}

// Hole counts a range that is skipped. It is called by one goroutine at a time.
func (r *Run) Hole(hole source.Range) {
	if r.holes == nil {
		r.holes = r.tally()
	}
	r.holes.hole(hole)
}

// Result returns what the workers have counted, which have all ended.
func (r *Run) Result() (Result, error) {
	var result Result
	err := r.err
	for _, t := range r.idle {
		err = errors.Join(err, t.sum(&result))
	}
	if r.holes != nil {
		err = errors.Join(err, r.holes.sum(&result))
	}
	if err != nil {
		return result, err
	}
	if r.counter.finish != nil {
		r.counter.finish(&result)
	}
	return result, r.counter.Total(&result)
}

// fail ends the counting with an error.
func (r *Run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
	if r.stop != nil {
		r.stop.Store(true)
	}
}

// worker is the searcher that counts.
type worker struct {
	run   *Run
	tally tally
}

func (w *worker) Search(b engine.Block, _ func(scan.Hit) bool) { w.tally.add(b) }

// Finish gives the tally back.
func (w *worker) Finish() {
	w.run.mu.Lock()
	defer w.run.mu.Unlock()
	w.run.idle = append(w.run.idle, w.tally)
}
