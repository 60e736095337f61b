package thresh

import (
	"context"
	"errors"
	"iter"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/options"
)

// Compare calls visit with the ranges in which two inputs differ, in ascending order, with offsets in the first one.
// One goroutine at a time calls visit, which must not be nil and must not keep the slice. An error that it returns
// ends the comparison and is returned.
//
// Both inputs are read at the same time, each byte once, by all workers; by one if one of them is a stream. Where both
// are holes of sparse files nothing is read, and a hole is compared as zeros. Two names of one file are equal without
// being read. The inputs must not be the same Input.
//
// A range of either input that cannot be read is in Unread, with the name and the offset of that input. After a
// cancelled context the error is that of the context, and the comparison holds what was found until then.
func Compare(ctx context.Context, a, b *Input, o options.Compare, visit func([]answer.Hit) error) (answer.Comparison,
	error) {
	one, other, err := usePair(a, b)
	if err != nil {
		return answer.Comparison{First: -1}, err
	}
	if err := required("ctx", ctx, "visit", visit); err != nil {
		return answer.Comparison{First: -1}, err
	}
	return run.Compare(ctx, one, other, o, visit)
}

// Differences returns the ranges in which two inputs differ, as Compare finds them. Leaving the loop ends the
// comparison. Errors come after all ranges, with the zero Hit: a *failure.UnreadError for each range that could not be
// read, then the error that ended the comparison, if any. That one input goes on after the end of the other is no
// range: Compare says so.
func Differences(ctx context.Context, a, b *Input, o options.Compare) iter.Seq2[answer.Hit, error] {
	return func(yield func(answer.Hit, error) bool) {
		report, err := Compare(ctx, a, b, o, yieldHits(yield))
		yieldErrors(yield, report.Unread, err)
	}
}

// ExplainCompare returns the plan for a call of Compare with the same arguments, as Explain does for Find.
func ExplainCompare(a, b *Input, o options.Compare) (Plan, error) {
	one, other, err := usePair(a, b)
	if err != nil {
		return Plan{}, err
	}
	p, err := run.ExplainCompare(one, other, o)
	return Plan(p), err
}

func usePair(a, b *Input) (one, other *run.Input, err error) {
	one, err = a.use()
	other, otherErr := b.use()
	return one, other, errors.Join(err, otherErr)
}
