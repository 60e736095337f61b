package run

import (
	"context"
	"errors"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/histogram"
	"github.com/thresh-dev/thresh/internal/search/count"
)

// Stats tells of the values of a column. Numbers are decimal text, exact where the type is
// an integer, and empty where there are no values. NaN values count in N and NaN only.
type Stats = count.Stats

// Binned is a histogram. Its bins ascend, from the first that is not empty to the last,
// empty ones between them included. Below and Above count what lies outside the limits, and
// infinities. A Bin holds the values from Low up to, not including, High.
type Binned = histogram.Result

// Bin is a bin of a histogram and how many values lie in it.
type Bin = histogram.Bin

// Count counts how often the query is found, or what it says to count; Report.Hits is the
// number. Holes of sparse files are counted without being looked at.
//
// The report is valid also when an error is returned, as that of Find. Options.Limit does
// not matter.
func Count(ctx context.Context, in *Input, q *Query, o Options) (Report, error) {
	o.Limit = 0
	var counting *count.Run
	ask := counted(q.counter, &counting)
	job, err := newJob(in, ask, o)
	if err != nil {
		return Report{}, err
	}
	report, err := run(ctx, in, ask, job, o)
	return report, errors.Join(err, report.take(counting))
}

// ExplainCount returns the plan for a call of Count with the same arguments; see Explain.
func ExplainCount(in *Input, q *Query, o Options) (Plan, error) {
	var unused *count.Run
	return explain(in, counted(q.counter, &unused), o)
}

// counted returns the inquiry for a number. It puts the counting of the input into run.
func counted(c *count.Counter, run **count.Run) inquiry {
	return inquiry{Traits: &c.Traits, speed: c.Speed, begin: func(in *Input, span source.Range) tasks {
		*run = c.Begin(in.file, span)
		return tasks{searcher: (*run).Searcher, hole: (*run).Hole}
	}}
}

// take puts into the report what was counted.
func (r *Report) take(run *count.Run) error {
	result, err := run.Result()
	r.show(&result)
	return err
}

// show makes a result the answer of the report.
func (r *Report) show(result *count.Result) {
	r.Hits, r.Binned, r.Stats = result.Count, result.Histogram, result.Stats
	r.result = result
}
