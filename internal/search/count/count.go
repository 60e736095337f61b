// Package count compiles a count query into searchers. They yield no hits: each worker keeps a
// partial result, and the partial results are added up after all workers have ended.
//
// Most things can be counted in any order. A few depend on all the bytes before them: whether a
// line feed is inside quotes, for example. A worker then summarizes its block for every state
// that the block may begin in, and the summaries are composed in file order. No worker has to
// guess the state, and none waits for it.
package count

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/histogram"
	"github.com/thresh-dev/thresh/internal/kernel/stats"
	"github.com/thresh-dev/thresh/internal/scan"
)

// Counter is a compiled count query. It is immutable and safe for concurrent use.
type Counter struct {
	scan.Traits
	speed  func(b []byte)
	begin  func(r *Run) func() partial // called once for each input; returns a constructor of partials
	finish func(r *Result)             // adds what depends on the end of the input; may be nil
	// figures computes the figures that need all values. It is nil if there is only a count.
	figures func(r *Result) error
}

// Speed runs the kernel over all of b, to measure its speed.
func (c *Counter) Speed(b []byte) { c.speed(b) }

// partial is the partial result of one worker.
type partial interface {
	// add counts what begins in the block's own bytes. A mapped file may have bytes that cannot
	// be read: add then panics, and is called again for the same offset with fewer bytes. So it
	// must not change the partial result before it has read all of the block.
	add(b engine.Block)
	// hole counts a range of zeros without reading it. Values that begin in the range end in
	// it, or in further zeros.
	hole(r source.Range)
	// sum adds the partial result to the result.
	sum(into *Result) error
}

// Result is what was counted.
type Result struct {
	Count     int64
	Stats     *answer.Stats      // set by Statistics, otherwise nil
	Histogram *answer.Histogram  // set by Histogram, otherwise nil
	Text      *answer.TextCounts // set by Words, Chars and LinesWordsChars, otherwise nil

	last    lastByte
	summary *stats.Summary
	bins    *histogram.Counter
	// Summaries that are composed in file order.
	rows    *records    // any worker's; all share one order
	text    *summarized // likewise
	reaches *scan.Order[reaches]
}

// Add adds the result of another input. Call Total afterwards to compute the figures.
func (r *Result) Add(other *Result) error {
	r.Count += other.Count
	if t := other.Text; t != nil {
		if r.Text == nil {
			r.Text = new(answer.TextCounts)
		}
		r.Text.Lines += t.Lines
		r.Text.Words += t.Words
		r.Text.Chars += t.Chars
	}
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

// Total computes the figures of a result after the last Add.
func (c *Counter) Total(r *Result) error {
	if c.figures == nil {
		return nil
	}
	return c.figures(r)
}

// Run counts in a range of one input.
type Run struct {
	counter *Counter
	file    *source.File
	span    source.Range
	partial func() partial
	lost    func(failure.UnreadError)
	stop    *atomic.Bool

	mu    sync.Mutex
	idle  []partial // from finished workers; new workers continue with them
	holes partial
	err   error
}

// Begin starts counting in a range of a file. A range that reaches beyond the end of the input
// ends with the input.
func (c *Counter) Begin(f *source.File, span source.Range) *Run {
	r := &Run{counter: c, file: f, span: span}
	r.partial = c.begin(r)
	return r
}

// Searcher returns the searcher of one worker; it is a scan.NewSearcher. The workers of a phase
// continue with the partial results of the phase before.
func (r *Run) Searcher(lost func(failure.UnreadError), stop *atomic.Bool) scan.Searcher {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop == nil { // lost and stop are the same for all workers of a scan
		r.lost, r.stop = lost, stop
	}
	if n := len(r.idle); n > 0 {
		t := r.idle[n-1]
		r.idle = r.idle[:n-1]
		return &worker{r, t}
	}
	return &worker{r, r.partial()}
}

// Hole counts a range that the scan skips. Calls must not overlap.
func (r *Run) Hole(hole source.Range) {
	if r.holes == nil {
		r.holes = r.partial()
	}
	r.holes.hole(hole)
}

// Result adds up the partial results. All workers must have ended.
func (r *Run) Result() (Result, error) {
	result, err := r.sum()
	if err != nil {
		return result, err
	}
	if r.counter.finish != nil {
		r.counter.finish(&result)
	}
	return result, r.counter.Total(&result)
}

// sum adds up the partial results, without what depends on the end of the input.
func (r *Run) sum() (result Result, err error) {
	err = r.err
	for _, t := range r.idle {
		err = errors.Join(err, t.sum(&result))
	}
	if r.holes != nil {
		err = errors.Join(err, r.holes.sum(&result))
	}
	return result, err
}

// fail stops the scan and keeps the first error.
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
	run     *Run
	partial partial
}

func (w *worker) Search(b engine.Block, _ func(answer.Hit) bool) { w.partial.add(b) }

// Finish returns the partial result to the run.
func (w *worker) Finish() {
	w.run.mu.Lock()
	defer w.run.mu.Unlock()
	w.run.idle = append(w.run.idle, w.partial)
}
