package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
)

// inquiry is what a run asks of an input: where, or how many.
type inquiry struct {
	*scan.Traits
	speed func(b []byte) // runs the kernel over all of b
	begin func(in *Input, span source.Range) tasks
}

// tasks is what the workers on one input do.
type tasks struct {
	searcher scan.NewSearcher
	hole     func(source.Range) // counts what is skipped; may be nil
}

// run scans and reports.
func run(ctx context.Context, in *Input, ask inquiry, job *scan.Job, o Options) (Report, error) {
	watch := startWatch(o.Receipt)
	res, err := scan.Run(ctx, *job)
	report := Report{
		Hits: res.Hits, Bytes: res.Scanned, Skipped: res.Skipped,
		Complete: res.Complete, Unread: res.Unread,
	}
	n := job.Range.Len()
	if in.file.Kind == source.Stream {
		n = max(res.Scanned, 0)
	}
	report.Trailing = ask.Trailing(n)
	receipt, werr := watch.receipt(ctx, in, ask, job, res)
	report.Receipt = receipt
	return report, errors.Join(err, werr)
}

// newJob gathers what a scan needs to know.
func newJob(in *Input, ask inquiry, o Options) (*scan.Job, error) {
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
	tasks := ask.begin(in, span)
	job := &scan.Job{
		File: in.file, Range: span, Limit: o.Limit, Progress: o.Progress,
		Ahead: ask.Context(in.file.Kind), Disjoint: ask.Disjoint,
		SkipHoles: ask.SkipHoles && in.file.Kind == source.Regular,
		Open:      in.engines(o), Searcher: tasks.searcher, Hole: tasks.hole,
	}
	job.Facts, err = facts(in, ask, o, span)
	if err != nil {
		return nil, err
	}
	job.Neutral = o.Cache == CacheNeutral || o.Cache == CacheAuto && in.packed == nil && tooBigToKeep(job.Facts.Left)
	if job.Neutral {
		err = in.file.Drop(in.brought)
	}
	return job, err
}

func facts(in *Input, ask inquiry, o Options, span source.Range) (plan.Facts, error) {
	left, unknown, err := scan.Regions(in.file, span, ask.SkipHoles, ask.Context(in.file.Kind))
	if err != nil {
		return plan.Facts{}, fmt.Errorf("holes of %s: %w", in.Name(), err)
	}
	f := plan.Facts{
		Name: in.Name(), Kind: in.file.Kind, Left: left, Unknown: unknown,
		Threads: runtime.GOMAXPROCS(0), Ahead: ask.Context(in.file.Kind), Lines: ask.Lines, InOrder: ask.InOrder,
		Worker: ask.Worker,
		Want:   plan.Want{Engine: o.Engine, Workers: o.Workers, ChunkBytes: o.Chunk, MemBytes: o.Memory},
	}
	rates(in.file, ask, &f)
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
