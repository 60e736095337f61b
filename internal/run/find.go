package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/search/count"
	"github.com/thresh-dev/thresh/options"
)

// Report is what a call found, and what totals need of it.
type Report struct {
	answer.Report
	result *count.Result // of Count
}

// aroundBytesMax bounds what is kept of a stream.
const aroundBytesMax = 16 << 20

// Find calls visit with the places where the query is found, in ascending order, each once.
func Find(ctx context.Context, in *Input, q *Query, o Options, visit func([]answer.Hit) error) (Report, error) {
	ask, err := q.places()
	if err != nil {
		return Report{}, err
	}
	if e := in.executorFor(ctx); e != nil {
		return in.findBy(ctx, e, q, o, visit)
	}
	if in.comesOnce() && o.Context > 0 {
		if o.Context > aroundBytesMax {
			return Report{}, badOption("Context", o.Context, "%d bytes around hits in %s: of a stream at most %d are kept",
				o.Context, in.Name(), aroundBytesMax)
		}
		o.Workers = 1 // several would read on while hits are passed on, and lose what is around them
	}
	if whole, ok := inMemory(in, ask.Traits, o); ok {
		return whole.find(ctx, q, visit)
	}
	job, err := newSearch(in, ask, o)
	if err != nil {
		return Report{}, err
	}
	job.Emit = visit
	return run(ctx, in, ask, job, o)
}

// places returns the request for the places of a query.
func (q *Query) places() (request, error) {
	s := q.selector
	if s == nil {
		return request{}, failure.ErrOnlyCounted
	}
	return request{Traits: &s.Traits, speed: s.Speed, begin: func(in *Input, span source.Range) tasks {
		return tasks{searcher: s.Begin(in.file, span, false).Searcher}
	}}, nil
}

// Explain returns the plan for a call of Find with the same arguments.
func Explain(in *Input, q *Query, o Options) (Plan, error) {
	ask, err := q.places()
	if err != nil {
		return Plan{}, err
	}
	p, err := explain(in, ask, o)
	if err != nil {
		return Plan{}, err
	}
	return p.withOpening(in, ask, o)
}

// Count counts how often the query is found, or what it says to count; Report.Hits is the number.
func Count(ctx context.Context, in *Input, q *Query, o Options) (Report, error) {
	o.Limit = min(o.Limit, 0) // a negative one is an error
	if e := in.executorFor(ctx); e != nil {
		names, v := in.alone()
		return e.Count(ctx, names, q, o, v)
	}
	if whole, ok := inMemory(in, &q.counter.Traits, o); ok {
		return whole.count(ctx, q)
	}
	var counting *count.Run
	ask := q.number(&counting)
	job, err := newJob(in, ask, o)
	if err != nil {
		return Report{}, err
	}
	report, err := run(ctx, in, ask, job, o)
	return report, errors.Join(err, report.take(counting))
}

// ExplainCount returns the plan for a call of Count with the same arguments.
func ExplainCount(in *Input, q *Query, o Options) (Plan, error) {
	var unused *count.Run
	return explain(in, q.number(&unused), o)
}

// number returns the request for the number of a query. When it begins, it sets run to the
// counting of the input.
func (q *Query) number(run **count.Run) request {
	c := q.counter
	return request{Traits: &c.Traits, speed: c.Speed, begin: func(in *Input, span source.Range) tasks {
		*run = c.Begin(in.file, span)
		return tasks{searcher: (*run).Searcher, hole: (*run).Hole}
	}}
}

// take puts the result of the counting into the report.
func (r *Report) take(run *count.Run) error {
	result, err := run.Result()
	r.show(&result)
	return err
}

// show makes a result the answer of the report.
func (r *Report) show(result *count.Result) {
	r.Hits, r.Histogram, r.Stats, r.Text = result.Count, result.Histogram, result.Stats, result.Text
	r.result = result
}

// newSearch prepares a scan. If early hits matter, and the plan allows it, the scan begins with an opening, and
// gathers the facts only if that does not find enough.
func newSearch(in *Input, ask request, o Options) (*scan.Job, error) {
	job, err := beginJob(in, ask, &o)
	if err != nil {
		return nil, err
	}
	opening, ok := openingOf(in, ask, o, job.Range)
	if !ok {
		return job, prepare(job, in, ask, o, job.Range)
	}
	job.Opening, job.Facts = &opening, knownFacts(in, ask, o)
	job.Prepare = func(running *scan.Job, rest source.Range) error {
		err := prepare(running, in, ask, o, rest)
		job.Facts, job.Neutral = running.Facts, running.Neutral // for the receipt
		return err
	}
	if job.Neutral = o.Cache == options.CacheNeutral; job.Neutral {
		err = in.dropBrought()
	}
	return job, err
}

// openingOf returns the opening of a scan of which early hits matter; false if there is none.
func openingOf(in *Input, ask request, o Options, span source.Range) (plan.Opening, bool) {
	if o.Limit == 0 && !ask.early {
		return plan.Opening{}, false
	}
	f := knownFacts(in, ask, o)
	if in.file.OS() == nil {
		f.Refuse(plan.Mmap, noFile)
	}
	return plan.OpeningOf(f, span)
}

// withOpening adds the opening of a scan to its plan, if there is one.
func (p Plan) withOpening(in *Input, ask request, o Options) (Plan, error) {
	if err := o.check(); err != nil {
		return Plan{}, err
	}
	span, err := o.span(in.file)
	if err != nil {
		return Plan{}, err
	}
	if opening, ok := openingOf(in, ask, o, span); ok {
		p.Lines = append(p.Lines, fmt.Sprintf("opening:    the first %s are searched at once; "+
			"this plan is for the rest", bytesize.Precise(opening.Second.End-span.Off)))
	}
	return p, nil
}
