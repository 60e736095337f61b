package run

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/search/grep"
)

// standardInputName is the name of the standard input in results, as with grep.
const standardInputName = "(standard input)"

// Grep searches an input for lines and prints them to out, in file order, each as soon as all lines before it
// are known.
func Grep(ctx context.Context, in *Input, q *grep.Query, out io.Writer, spec grep.Options,
	o Options) (answer.GrepReport, error) {
	if e := in.executorFor(ctx); e != nil {
		return in.grepBy(ctx, e, q, out, spec, o)
	}
	return GrepInto(ctx, in, q, grep.NewSink(&grep.Output{Writer: out}, nil), spec, o)
}

// GrepInto does it with a sink, which several searches may share.
func GrepInto(ctx context.Context, in *Input, q *grep.Query, sink *grep.Sink, spec grep.Options,
	o Options) (answer.GrepReport, error) {
	limit, err := limitTimes(ctx, in, &o)
	if err != nil {
		return answer.GrepReport{}, err
	}
	if limit != nil && limit.found == nil {
		spec.Moved = limit.moved
	}
	if limit != nil && o.Times.Show != nil && spec.Mode == grep.Print {
		spec.Rewrite = limit.rewrite
	}
	report, err := grepRange(ctx, in, q, sink, spec, o)
	report.Outside, report.Zone, report.Untimed = limit.outside(), limit.zone(), limit.untimed()
	for i := range report.Unread {
		report.Unread[i].Off += limit.moved()
	}
	if endErr := limit.end(in); endErr != nil {
		report.Complete = false
		err = errors.Join(endErr, err)
	}
	return report, err
}

// grepRange searches the range that the options name.
func grepRange(ctx context.Context, in *Input, q *grep.Query, sink *grep.Sink, spec grep.Options,
	o Options) (answer.GrepReport, error) {
	traits := q.Traits()
	if whole, ok := inMemory(in, &traits, o); ok {
		return whole.grep(ctx, q, sink, spec)
	}
	var run *grep.Run
	return grepAsked(ctx, in, grepping(q, spec, sink, &run), &run, spec, o)
}

// grepAsked searches for what a request asks. When that begins, it sets begun.
func grepAsked(ctx context.Context, in *Input, ask request, begun **grep.Run, spec grep.Options,
	o Options) (answer.GrepReport, error) {
	job, err := newSearch(in, ask, o)
	if err != nil {
		return answer.GrepReport{}, err
	}
	job.Emit = func([]answer.Hit) error { return nil } // lines are printed by the searchers
	run := *begun
	watch := startWatch(o.Receipt).followMemory()
	var res scan.Result
	if !run.Answered() {
		res, err = scan.Run(ctx, *job)
	}
	result, doneErr := run.Done(err == nil)
	if err = errors.Join(doneErr, err); run.Answered() && errors.Is(err, context.Canceled) {
		err = doneErr
	}
	report := result.GrepReport
	report.Bytes, report.Unread = res.Scanned+res.Skipped, res.Unread
	report.Complete = err == nil && (res.Complete || run.Answered())
	if run.Answered() && spec.Mode == grep.Any {
		report.Unread = nil
	}
	res.Blocked = result.Time
	var watchErr error
	report.Receipt, watchErr = watch.receipt(ctx, in, ask, job, res)
	return report, errors.Join(err, watchErr)
}

// ExplainGrep returns the plan for a call of Grep with the same arguments.
func ExplainGrep(in *Input, q *grep.Query, spec grep.Options, o Options) (Plan, error) {
	limit, err := limitTimes(context.Background(), in, &o)
	if err != nil {
		return Plan{}, err
	}
	var unused *grep.Run
	ask := grepping(q, spec, nil, &unused)
	p, err := explain(in, ask, o)
	if err == nil {
		p, err = p.withOpening(in, ask, o)
	}
	if err == nil && limit != nil && !limit.window.All() {
		p.Lines = slices.Insert(p.Lines, 1, "times:      "+limit.String())
	}
	return p, errors.Join(err, limit.end(in))
}

// grepping returns the request for lines. When it begins, it sets run.
func grepping(q *grep.Query, spec grep.Options, sink *grep.Sink, run **grep.Run) request {
	traits := q.Traits()
	traits.SkipHoles = q.SkipsHoles(spec.Mode)
	early := spec.Mode == grep.Print || spec.Mode == grep.Any || spec.Max >= 0
	return request{Traits: &traits, speed: q.Speed, early: early, begin: func(in *Input, span source.Range) tasks {
		*run = grep.NewRun(q, spec, in.file, span, sink)
		return tasks{searcher: (*run).Searcher, hole: (*run).Hole}
	}}
}

// grep searches bytes in memory.
func (w *whole) grep(ctx context.Context, q *grep.Query, sink *grep.Sink,
	spec grep.Options) (answer.GrepReport, error) {
	if err := ctx.Err(); err != nil {
		return answer.GrepReport{}, err
	}
	began := time.Now()
	traits := q.Traits()
	r := w.report(&traits)
	report, err := w.grepInto(&r, q, sink, spec)
	timed(&r.Receipt, began)
	report.Receipt = r.Receipt
	return report, err
}

// grepInto searches bytes in memory, and adds what a Report knows of them.
func (w *whole) grepInto(report *Report, q *grep.Query, sink *grep.Sink,
	spec grep.Options) (answer.GrepReport, error) {
	run := grep.NewRun(q, spec, w.file, w.span(), sink)
	if len(w.data) > 0 && !run.Answered() {
		search := run.Searcher(lost(report), new(atomic.Bool)) // too short to be stopped
		search.Search(w.block(), nil)
		search.(scan.Finisher).Finish()
	}
	result, err := run.Done(true)
	found := result.GrepReport
	found.Bytes, found.Complete, found.Unread = report.Bytes, err == nil && report.Complete, report.Unread
	return found, err
}
