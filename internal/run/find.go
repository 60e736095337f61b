package run

import (
	"context"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/search/count"
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
