// Package run answers one question on one input, from facts to receipt, and the same question on
// many inputs. It puts together what the packages to its left in the way of the data do:
//
//	open the input, and the decompressor where it is compressed       open.go, compressed.go
//	gather facts: range, holes, page cache, speeds                    facts.go
//	plan and scan                                                     run.go
//	name the wall                                                     wall.go
//
// What callers of the library see is declared in the public packages answer, failure and receipt.
package run

import (
	"context"
	"errors"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/options"
)

// request is what a run asks of an input: where, or how many.
type request struct {
	*scan.Traits
	speed func(b []byte) // runs the kernel over all of b
	keeps bool           // speed says too little: the cost depends on what was kept of other bytes
	begin func(in *Input, span source.Range) tasks
	wrote func() time.Duration // how long results were written so far; nil if scan.Job.Emit writes them
	pair  *plan.Pair           // two inputs are compared; nil: one is read
	early bool                 // early hits matter, also without a limit: they are printed, or end the scan
}

// tasks is what the workers on one input do.
type tasks struct {
	searcher scan.NewSearcher
	hole     func(source.Range) // counts what is skipped; may be nil
}

// run scans and reports.
func run(ctx context.Context, in *Input, ask request, job *scan.Job, o Options) (Report, error) {
	watch := startWatch(o.Receipt).followMemory()
	wrote := func() time.Duration { return 0 }
	if ask.wrote != nil {
		wrote = ask.wrote
	}
	before := wrote()
	res, err := scan.Run(ctx, *job)
	res.Blocked += wrote() - before
	report := Report{Report: answer.Report{
		Hits: res.Hits, Bytes: res.Scanned, Skipped: res.Skipped,
		Complete: res.Complete, Unread: res.Unread,
	}}
	n := job.Range.Len()
	if in.file.Kind == source.Stream {
		n = max(res.Scanned, 0)
	}
	report.Trailing = ask.Trailing(n)
	receipt, receiptErr := watch.receipt(ctx, in, ask, job, res)
	report.Receipt = receipt
	return report, errors.Join(err, receiptErr)
}

// newJob prepares a scan: it checks the options, begins the tasks and gathers the facts.
func newJob(in *Input, ask request, o Options) (*scan.Job, error) {
	job, err := beginJob(in, ask, &o)
	if err != nil {
		return nil, err
	}
	return job, prepare(job, in, ask, o, job.Range)
}

// beginJob prepares a scan up to the facts. It fills in the defaults of the options.
func beginJob(in *Input, ask request, o *Options) (*scan.Job, error) {
	if err := errors.Join(cpu.Err(), o.check()); err != nil {
		return nil, err
	}
	span, err := o.span(in.file)
	if err != nil {
		return nil, err
	}
	if err := in.compressed.refuse(in.Name(), string(o.Engine)); err != nil {
		return nil, err
	}
	tasks := ask.begin(in, span)
	part := o.part(span)
	return &scan.Job{
		File: in.file, Range: part, Whole: span, Limit: o.Limit, Progress: o.Progress,
		Ahead: ask.Context(in.file.Kind), Disjoint: ask.Disjoint,
		SkipHoles: ask.SkipHoles && in.file.Kind == source.Regular,
		Open:      in.engines(*o), Searcher: tasks.searcher, Hole: tasks.hole,
	}, nil
}

// prepare gathers the facts about the part of an input that is to be planned.
func prepare(job *scan.Job, in *Input, ask request, o Options, span source.Range) (err error) {
	if err := o.settleMemory(memoryLeast); err != nil {
		return err
	}
	job.Facts, err = facts(in, ask, o, span)
	if err != nil {
		return err
	}
	job.Neutral = o.Cache == options.CacheNeutral || job.Facts.KeepReason != ""
	if job.Neutral {
		err = in.dropBrought()
	}
	return err
}

// dropBrought drops what the look at the first bytes brought into the page cache.
func (in *Input) dropBrought() (err error) {
	for _, r := range in.brought {
		err = errors.Join(err, in.file.Drop(r))
	}
	return err
}
