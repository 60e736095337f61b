package thresh

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/find"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/source"
)

// Hit is one place where the query was found: Len bytes at Off in the input.
type Hit = scan.Hit

// Unread is a range that could not be read, and why.
type Unread = engine.UnreadError

// Report tells what a call did.
type Report struct {
	Hits     int64
	Bytes    int64 // scanned
	Skipped  int64 // in holes that nobody had to look at
	Trailing int64 // bytes at the end that are no whole value
	Complete bool
	Unread   []Unread // ranges that matter for the answer and could not be read
	Receipt  Receipt
}

// Find calls visit with the places where the query is found, in ascending order, each
// once. visit is called by one goroutine at a time and must not keep the slice; an error
// that it returns ends the search and is returned.
//
// The report is valid also when an error is returned. An unread range is no error: the
// rest is searched, the report lists the range and says that it is not complete. After a
// cancelled context it holds what was found until then.
func Find(ctx context.Context, in *Input, q *Query, o Options, visit func([]Hit) error) (Report, error) {
	job, err := newJob(in, q, o)
	if err != nil {
		return Report{}, err
	}
	job.Emit = visit
	watch := startWatch(o.Receipt)
	res, err := scan.Run(ctx, *job)
	report := Report{
		Hits: res.Hits, Bytes: res.Scanned, Skipped: res.Skipped,
		Complete: res.Complete, Unread: res.Unread,
	}
	if in.file.Kind == source.Stream {
		report.Trailing = q.selector.Trailing(max(res.Scanned, 0))
	} else {
		report.Trailing = q.selector.Trailing(job.Range.Len())
	}
	receipt, werr := watch.receipt(ctx, in, q, job, res)
	report.Receipt = receipt
	return report, errors.Join(err, werr)
}

// Explain returns the plan for a call of Find with the same arguments, without reading
// anything but the first pieces that trials need; none are made here.
func Explain(in *Input, q *Query, o Options) (Plan, error) {
	job, err := newJob(in, q, o)
	if err != nil {
		return Plan{}, err
	}
	return explain(in, q, job)
}

// newJob gathers what a scan needs to know.
func newJob(in *Input, q *Query, o Options) (*scan.Job, error) {
	if err := errors.Join(cpu.Err(), o.check()); err != nil {
		return nil, err
	}
	span, err := o.span(in.file)
	if err != nil {
		return nil, err
	}
	if err := in.packed.refuse(in.Name(), o.Engine); err != nil {
		return nil, err
	}
	s := q.selector
	job := &scan.Job{
		File: in.file, Range: span, Limit: o.Limit, Progress: o.Progress,
		Ahead: s.Ahead(in.file.Kind), Disjoint: s.Disjoint(),
		SkipHoles: s.SkipHoles() && in.file.Kind == source.Regular,
		Open:      in.engines(o),
	}
	job.Searcher = func(lost func(engine.UnreadError), stop *atomic.Bool) scan.Searcher {
		return s.Searcher(find.Input{File: in.file, Range: span, Stop: stop, Lost: lost})
	}
	job.Facts, err = facts(in, s, o, span)
	if err != nil {
		return nil, err
	}
	job.Neutral = o.Cache == CacheNeutral ||
		o.Cache == CacheAuto && in.packed == nil && tooBigToKeep(job.Facts.Left)
	return job, nil
}

func facts(in *Input, s *find.Selector, o Options, span source.Range) (plan.Facts, error) {
	left, unknown, err := scan.Regions(in.file, span, s.SkipHoles(), s.Ahead(in.file.Kind))
	if err != nil {
		return plan.Facts{}, fmt.Errorf("holes of %s: %w", in.Name(), err)
	}
	f := plan.Facts{
		Name: in.Name(), Kind: in.file.Kind, Left: left, Unknown: unknown,
		Threads: runtime.GOMAXPROCS(0), Ahead: s.Ahead(in.file.Kind), Lines: s.Lines(), Worker: s.WorkerBytes(),
		Rates: rates(in.file, s, sum(left)),
		Want:  plan.Want{Engine: o.Engine, Workers: o.Workers, ChunkBytes: o.Chunk, MemBytes: o.Memory},
	}
	f.NoMap, f.NoRing = cannot(in.file, left, o.Engine)
	return f, nil
}

// tooBigToKeep reports whether reading what is not cached would push out a good part of
// what others have in the page cache.
func tooBigToKeep(left []source.Region) bool {
	memory := source.MemoryBytes()
	return memory > 0 && uncached(left) > memory/4
}

func sum(regions []source.Region) (n int64) {
	for _, r := range regions {
		n += r.Len()
	}
	return n
}

// kernelRate measures how fast the selector's kernel goes over bytes in the cache.
func kernelRate(s *find.Selector) float64 {
	b := s.Sample(kernelProbeBytes)
	s.Speed(b)
	began := time.Now()
	s.Speed(b)
	return float64(len(b)) / max(time.Since(began).Seconds(), 1e-9)
}

const kernelProbeBytes = 128 << 10
