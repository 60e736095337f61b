package run

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
)

// whole is an input whose bytes are all in memory and too few to share: a small file that was
// read in one go, or a short slice. It is searched as one block, by the calling goroutine.
type whole struct {
	file  *source.File
	off   int64 // of data in the input
	data  []byte
	limit int64
	stop  *atomic.Bool // ends the search early; may be nil
}

// inMemory returns the bytes of an input in memory that is so short that neither a plan nor a
// second worker would pay. Ok is false for every other input, for wrong options, and if a receipt
// or another way of reading is asked for: the general path then does the rest.
func inMemory(in *Input, o Options) (w *whole, ok bool) {
	if in.file.Kind != source.Memory || o.Receipt || o.Engine != "" && o.Engine != plan.Auto || cpu.Err() != nil {
		return nil, false
	}
	if o.check() != nil {
		return nil, false
	}
	span, err := o.span(in.file)
	if err != nil || span.Len() > plan.ShareBytesLeast() {
		return nil, false
	}
	w = &whole{file: in.file, off: span.Off, data: in.file.Data()[span.Off:span.End], limit: o.Limit}
	if o.Progress != nil {
		o.Progress.Add(span.Len())
	}
	return w, true
}

func (w *whole) span() source.Range {
	return source.Range{Off: w.off, End: w.off + int64(len(w.data))}
}

func (w *whole) block() engine.Block { return engine.Block{Off: w.off, Data: w.data, Len: len(w.data)} }

// report returns the report of a search that reads all bytes. Its receipt has the figures that need
// no counters; its time is set by timed.
func (w *whole) report(traits *scan.Traits) Report {
	n := int64(len(w.data))
	return Report{Bytes: n, Complete: true, Trailing: traits.Trailing(n), Receipt: Receipt{
		Bytes: n, Kernel: traits.Kernel, KernelOrigin: traits.Origin, Engines: []EngineUse{{plan.Memory, 1, n}},
	}}
}

// timed sets the time of a search that has ended.
func (r *Receipt) timed(began time.Time) {
	r.Seconds = max(time.Since(began).Seconds(), 1e-9)
	r.Rate = float64(r.Bytes) / r.Seconds
}

// lost returns the function that adds a range that could not be searched to a report.
func lost(r *Report) func(engine.UnreadError) {
	return func(e engine.UnreadError) { r.Unread, r.Complete = append(r.Unread, e), false }
}

// wholeHits is how many hits are collected before they are passed on.
const wholeHits = 512

// find passes the places of a query on, some hundred at a time.
func (w *whole) find(ctx context.Context, q *Query, visit func([]Hit) error) (Report, error) {
	began := time.Now()
	report := w.report(q.traits())
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	w.stop = new(atomic.Bool)
	defer context.AfterFunc(ctx, func() { w.stop.Store(true) })()
	var hits []Hit
	var failed error
	pass := func() bool {
		failed = visit(hits)
		hits = hits[:0]
		return failed == nil && !w.stop.Load()
	}
	report.Hits = w.search(q, lost(&report), func(h Hit) bool {
		hits = append(hits, h)
		return len(hits) < wholeHits || pass()
	})
	if failed == nil && len(hits) > 0 {
		pass()
	}
	if failed == nil && w.stop.Load() && (w.limit == 0 || report.Hits < w.limit) {
		failed = ctx.Err()
	}
	report.Complete = report.Complete && failed == nil
	report.Receipt.timed(began)
	return report, failed
}

// search yields the hits that count and returns how many there were. It ends when yield returns
// false.
func (w *whole) search(q *Query, lost func(engine.UnreadError), yield func(Hit) bool) int64 {
	s := q.selector
	filter := scan.Filter{Disjoint: s.Disjoint, Limit: w.limit, End: w.off}
	searcher := s.Begin(w.file, w.span(), false).Searcher(lost, w.stop)
	var one [1]Hit
	searcher.Search(w.block(), func(h Hit) bool {
		one[0] = h
		if len(filter.Keep(one[:])) == 0 {
			return !filter.Full()
		}
		return yield(h) && !filter.Full()
	})
	return filter.Kept
}

// count counts; without bytes there is nothing that a searcher could see.
func (w *whole) count(ctx context.Context, q *Query) (Report, error) {
	began := time.Now()
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	report := w.report(&q.counter.Traits)
	err := w.countInto(&report, q)
	report.Receipt.timed(began)
	return report, err
}

// countInto counts and puts the answer into a report.
func (w *whole) countInto(report *Report, q *Query) error {
	run := q.counter.Begin(w.file, w.span())
	if len(w.data) > 0 {
		search := run.Searcher(lost(report), new(atomic.Bool)) // too short to be stopped
		search.Search(w.block(), nil)
		search.(scan.Finisher).Finish()
	}
	return report.take(run)
}
