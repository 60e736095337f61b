package run

import (
	"context"
	"errors"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/search/count"
)

// Count counts how often the query is found, or what it says to count; Report.Hits is the number.
func Count(ctx context.Context, in *Input, q *Query, o Options) (Report, error) {
	o.Limit = min(o.Limit, 0) // a negative one is an error
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
