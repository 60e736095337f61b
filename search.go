package thresh

import (
	"context"
	"errors"
	"iter"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/options"
)

// Find calls visit with the places where the query is found, in ascending order, each once and many at
// a time. One goroutine at a time calls visit, which must not be nil and must not keep the slice. An
// error that it returns ends the search and is returned.
//
// A query that can only be counted is failure.ErrOnlyCounted. After a cancelled context the error is that of
// the context, and the report holds what was found until then.
func Find(ctx context.Context, in *Input, q *Query, o options.Find, visit func([]answer.Hit) error) (answer.Report,
	error) {
	i, query, err := use(in, q)
	if err != nil {
		return answer.Report{}, err
	}
	if err := required("ctx", ctx, "visit", visit); err != nil {
		return answer.Report{}, err
	}
	r, err := run.Find(ctx, i, query, run.ForFind(o), visit)
	return r.Report, err
}

// errLeft ends a search whose caller has left the loop.
var errLeft = errors.New("the loop was left")

// Hits returns the places where the query is found, in ascending order. Leaving the loop ends the
// search. Errors come after all hits, with the zero Hit: a *failure.UnreadError for each range that could not
// be read, then the error that ended the search, if any. Find is faster for very many hits, and returns
// a report.
func Hits(ctx context.Context, in *Input, q *Query, o options.Find) iter.Seq2[answer.Hit, error] {
	return func(yield func(answer.Hit, error) bool) {
		report, err := Find(ctx, in, q, o, yieldHits(yield))
		yieldErrors(yield, report.Unread, err)
	}
}

// yieldHits returns a function that yields hits, and ends the search when the loop is left.
func yieldHits(yield func(answer.Hit, error) bool) func([]answer.Hit) error {
	return func(hits []answer.Hit) error {
		for _, h := range hits {
			if !yield(h, nil) {
				return errLeft
			}
		}
		return nil
	}
}

// yieldErrors yields what could not be read, and the error that ended the search, unless the loop was left.
func yieldErrors(yield func(answer.Hit, error) bool, unread []failure.UnreadError, err error) {
	if errors.Is(err, errLeft) {
		return
	}
	for i := range unread {
		if !yield(answer.Hit{}, &unread[i]) {
			return
		}
	}
	if err != nil {
		yield(answer.Hit{}, err)
	}
}

// First returns the first place where the query is found; ok is false if there is none. If a range
// before the first hit, or any range where there is no hit, could not be read, the error is a *failure.UnreadError.
func First(ctx context.Context, in *Input, q *Query, o options.Scan) (hit answer.Hit, ok bool, err error) {
	one := options.Find{Run: o.Run, Offset: o.Offset, Length: o.Length, Limit: 1}
	report, err := Find(ctx, in, q, one, func(hits []answer.Hit) error {
		hit, ok = hits[0], true
		return nil
	})
	if err == nil && len(report.Unread) > 0 {
		err = &report.Unread[0]
	}
	return hit, ok, err
}

// Count counts how often the query is found, or what it says to count; Report.Hits is the number.
// Holes of sparse files are counted without being read.
//
// After a cancelled context the error is that of the context, and the report holds what was counted
// until then.
func Count(ctx context.Context, in *Input, q *Query, o options.Scan) (answer.Report, error) {
	if err := required("ctx", ctx); err != nil {
		return answer.Report{}, err
	}
	i, query, err := use(in, q)
	if err != nil {
		return answer.Report{}, err
	}
	r, err := run.Count(ctx, i, query, run.ForScan(o))
	return r.Report, err
}

func use(in *Input, q *Query) (*run.Input, *run.Query, error) {
	i, err := in.use()
	if err != nil {
		return nil, nil, err
	}
	query, err := q.use()
	return i, query, err
}
