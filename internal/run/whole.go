package run

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/receipt"
)

// whole is an input whose bytes are all in memory and too few to share: a small file that was
// read at once, or a short slice. It is searched as one block, by the calling goroutine.
type whole struct {
	file  *source.File
	off   int64 // of data in the input
	data  []byte
	limit int64
	stop  *atomic.Bool // ends the search early; may be nil
}

// wholeBytesMax is the size up to which a file is read at once and searched in memory: planning
// takes longer than that.
var wholeBytesMax = threshold.New("run: bytes of a file that is read at once", 64<<10, 1)

// inMemory returns the bytes of an input that is so short that neither a plan nor a second worker
// would pay: a slice, or a file, which it reads. Ok is false for every other input, for wrong
// options, and if a receipt, another way of reading or less memory is asked for: the general path
// then does the rest. So it does if the file cannot be read as a whole.
func inMemory(in *Input, ask *scan.Traits, o Options) (w *whole, ok bool) {
	memory := in.file.Kind == source.Memory
	if !memory && in.file.Kind != source.Regular || o.Receipt || o.check() != nil || o.Engine != plan.Auto ||
		o.Cache == options.CacheNeutral || o.MemoryBytes < memoryDefault || cpu.Err() != nil {
		return nil, false
	}
	span, err := o.span(in.file)
	if err != nil {
		return nil, false
	}
	w = &whole{file: in.file, off: span.Off, limit: o.Limit}
	switch {
	case memory && span.Len() <= plan.ShareBytesLeast():
		w.data = in.file.Data()[span.Off:span.End]
	case !memory && span.Len() <= int64(wholeBytesMax.Get()) && w.read(in.file, span, ask.SkipHoles):
	default:
		return nil, false
	}
	if o.Progress != nil {
		o.Progress.Add(span.Len())
	}
	return w, true
}

// read reads a range of a file. It returns false if that fails, or if there are holes to skip.
func (w *whole) read(f *source.File, span source.Range, skipHoles bool) bool {
	if skipHoles {
		if data, err := f.NextData(span.Off, span.End); err != nil || data != span {
			return false
		}
	}
	w.data = make([]byte, span.Len())
	n, _ := f.ReadAt(w.data, span.Off) // the general path meets the error again, and reports it
	return n == len(w.data)
}

func (w *whole) span() source.Range {
	return source.Range{Off: w.off, End: w.off + int64(len(w.data))}
}

func (w *whole) block() engine.Block { return engine.Block{Off: w.off, Data: w.data, Len: len(w.data)} }

// report returns the report of a search that reads all bytes. Its receipt has the figures that need
// no counters; its time is set by timed.
func (w *whole) report(traits *scan.Traits) Report {
	n, engine := int64(len(w.data)), plan.Memory
	if w.file.Kind != source.Memory {
		engine = plan.Pread
	}
	return Report{Report: answer.Report{Bytes: n, Complete: true, Trailing: traits.Trailing(n), Receipt: receipt.Receipt{
		Bytes: n, Kernel: traits.Kernel, Engines: []receipt.EngineUse{{Engine: engine, Workers: 1, Bytes: n}},
	}}}
}

// timed sets the time of a search that has ended.
func timed(r *receipt.Receipt, began time.Time) {
	r.Seconds = max(time.Since(began).Seconds(), 1e-9)
	r.BytesPerSecond = float64(r.Bytes) / r.Seconds
}

// lost returns the function that adds a range that could not be searched to a report.
func lost(r *Report) func(failure.UnreadError) {
	return func(e failure.UnreadError) { r.Unread, r.Complete = append(r.Unread, e), false }
}

// wholeHits is how many hits are collected before they are passed on.
const wholeHits = 512

// find passes the places of a query on, some hundred at a time.
func (w *whole) find(ctx context.Context, q *Query, visit func([]answer.Hit) error) (Report, error) {
	began := time.Now()
	report := w.report(q.traits())
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	w.stop = new(atomic.Bool)
	defer context.AfterFunc(ctx, func() { w.stop.Store(true) })()
	var hits []answer.Hit
	var failed error
	pass := func() bool {
		failed = visit(hits)
		hits = hits[:0]
		return failed == nil && !w.stop.Load()
	}
	report.Hits = w.search(q, lost(&report), func(h answer.Hit) bool {
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
	timed(&report.Receipt, began)
	return report, failed
}

// search yields the hits that count and returns how many there were. It ends when yield returns
// false.
func (w *whole) search(q *Query, lost func(failure.UnreadError), yield func(answer.Hit) bool) int64 {
	s := q.selector
	filter := scan.Filter{Disjoint: s.Disjoint, Limit: w.limit, End: w.off}
	searcher := s.Begin(w.file, w.span(), false).Searcher(lost, w.stop)
	var one [1]answer.Hit
	searcher.Search(w.block(), func(h answer.Hit) bool {
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
	timed(&report.Receipt, began)
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
