package run

import (
	"context"
	"fmt"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/search/count"
)

// Hit is one place where the query was found: Len bytes at Off in the input.
type Hit = scan.Hit

// Unread is a range that could not be read, and why.
type Unread = engine.UnreadError

// Report tells what a call did.
type Report struct {
	Hits     int64 // found, or counted
	Bytes    int64 // scanned
	Skipped  int64 // in holes that nobody had to look at
	Trailing int64 // bytes at the end that are no whole value
	Complete bool
	Stats    *Stats   // by Count, of Statistics
	Binned   *Binned  // by Count, of a Histogram
	Unread   []Unread // ranges that matter for the answer and could not be read
	Receipt  Receipt

	result *count.Result // of Count, for totals
}

// aroundBytesMax bounds what is kept of a stream.
const aroundBytesMax = 16 << 20

// Find calls visit with the places where the query is found, in ascending order, each
// once. visit is called by one goroutine at a time and must not keep the slice; an error
// that it returns ends the search and is returned.
//
// The report is valid also when an error is returned. An unread range is no error: the
// rest is searched, the report lists the range and says that it is not complete. After a
// cancelled context it holds what was found until then.
func Find(ctx context.Context, in *Input, q *Query, o Options, visit func([]Hit) error) (Report, error) {
	ask, err := finding(q)
	if err != nil {
		return Report{}, err
	}
	if in.comesOnce() && o.Around > 0 {
		if o.Around > aroundBytesMax {
			return Report{}, fmt.Errorf("%d bytes around hits in %s: of a stream at most %d are kept",
				o.Around, in.Name(), aroundBytesMax)
		}
		o.Workers = 1 // what is around its hits must not be gone when they are passed on
	}
	job, err := newJob(in, ask, o)
	if err != nil {
		return Report{}, err
	}
	job.Emit = visit
	return run(ctx, in, ask, job, o)
}

// finding returns the inquiry for the places of a query.
func finding(q *Query) (inquiry, error) {
	s := q.selector
	if s == nil {
		return inquiry{}, ErrOnlyCounted
	}
	return inquiry{Traits: &s.Traits, speed: s.Speed, begin: func(in *Input, span source.Range) tasks {
		return tasks{searcher: s.Begin(in.file, span, false).Searcher}
	}}, nil
}

// Explain returns the plan for a call of Find with the same arguments, without reading
// anything but the first pieces that trials need; none are made here.
func Explain(in *Input, q *Query, o Options) (Plan, error) {
	ask, err := finding(q)
	if err != nil {
		return Plan{}, err
	}
	return explain(in, ask, o)
}
