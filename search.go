package thresh

import (
	"context"
	"errors"
	"iter"

	"github.com/thresh-dev/thresh/internal/run"
)

// Hit is one place where a query was found: Len bytes at Off in the input.
type Hit struct{ Off, Len int64 }

// Report tells what a call of Find or Count did.
type Report struct {
	Hits     int64 // places found, or what was counted: lines, records or values
	Bytes    int64 // scanned
	Skipped  int64 // in holes of a sparse file, which need not be read
	Trailing int64 // bytes left at the end, too few for a value
	// Complete is false if something that matters for the answer was not read, or an error ended the
	// run. A run that Limit ended is complete.
	Complete  bool
	Stats     *Stats        // the answer to Statistics, otherwise nil
	Histogram *Binned       // the answer to Histogram, otherwise nil
	Text      *TextCounts   // the answer to Words, Chars and LinesWordsChars, otherwise nil
	Unread    []UnreadError // ranges that matter for the answer and could not be read, ascending
	Receipt   Receipt
}

// Stats describes the values of a column. N is how many there are, NaN how many of them are NaN, Inf how
// many are infinite; the other fields ignore NaNs. Numbers are decimal text, exact for integers, and
// empty if there are no values.
type Stats struct {
	N, NaN, Inf         int64
	Min, Max, Sum, Mean string
}

// TextCounts are the sizes of a text.
type TextCounts struct{ Lines, Words, Chars int64 }

// Binned is a histogram. Its bins ascend, from the first that is not empty to the last; empty ones
// between them are included. Below and Above count values outside the limits, and infinities.
type Binned struct {
	Bins         []Bin
	Below, Above uint64
	NaN          uint64
}

// Bin counts the values from Low up to, not including, High.
type Bin struct {
	Low, High string
	Count     uint64
}

func newReport(r run.Report) Report {
	report := Report{Hits: r.Hits, Bytes: r.Bytes, Skipped: r.Skipped, Trailing: r.Trailing, Complete: r.Complete,
		Stats: (*Stats)(r.Stats), Text: (*TextCounts)(r.Text), Unread: unread(r.Unread), Receipt: newReceipt(r.Receipt)}
	if b := r.Binned; b != nil {
		report.Histogram = &Binned{Bins: make([]Bin, len(b.Bins)), Below: b.Below, Above: b.Above, NaN: b.NaN}
		for i, bin := range b.Bins {
			report.Histogram.Bins[i] = Bin(bin)
		}
	}
	return report
}

// Find calls visit with the places where the query is found, in ascending order, each once and many at
// a time. One goroutine at a time calls visit, which must not be nil and must not keep the slice. An
// error that it returns ends the search and is returned.
//
// A query that can only be counted is ErrOnlyCounted. After a cancelled context the error is that of
// the context, and the report holds what was found until then.
func Find(ctx context.Context, in *Input, q *Query, o Options, visit func([]Hit) error) (Report, error) {
	i, query, err := use(in, q)
	if err != nil {
		return Report{}, err
	}
	if visit == nil {
		return Report{}, &OptionError{"visit", nil, "there is no function for the hits"}
	}
	r, err := run.Find(ctx, i, query, o.run(), passHits(visit))
	return newReport(r), public(err)
}

// passHits returns a function that passes internal hits on to visit.
func passHits(visit func([]Hit) error) func([]run.Hit) error {
	var batch []Hit
	return func(hits []run.Hit) error {
		batch = batch[:0]
		for _, h := range hits {
			batch = append(batch, Hit(h))
		}
		return visit(batch)
	}
}

// errLeft ends a search whose caller has left the loop.
var errLeft = errors.New("the loop was left")

// Hits returns the places where the query is found, in ascending order. Leaving the loop ends the
// search. Errors come after all hits, with the zero Hit: an *UnreadError for each range that could not
// be read, then the error that ended the search, if any. Find is faster for very many hits, and returns
// a report.
func Hits(ctx context.Context, in *Input, q *Query, o Options) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		report, err := Find(ctx, in, q, o, func(hits []Hit) error {
			for _, h := range hits {
				if !yield(h, nil) {
					return errLeft
				}
			}
			return nil
		})
		if errors.Is(err, errLeft) {
			return
		}
		for i := range report.Unread {
			if !yield(Hit{}, &report.Unread[i]) {
				return
			}
		}
		if err != nil {
			yield(Hit{}, err)
		}
	}
}

// First returns the first place where the query is found; ok is false if there is none. Options.Limit
// is ignored. If a range before the first hit, or any range where there is no hit, could not be read,
// the error is an *UnreadError.
func First(ctx context.Context, in *Input, q *Query, o Options) (hit Hit, ok bool, err error) {
	o.Limit = 1
	report, err := Find(ctx, in, q, o, func(hits []Hit) error {
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
func Count(ctx context.Context, in *Input, q *Query, o Options) (Report, error) {
	i, query, err := use(in, q)
	if err != nil {
		return Report{}, err
	}
	r, err := run.Count(ctx, i, query, o.run())
	return newReport(r), public(err)
}

func use(in *Input, q *Query) (*run.Input, *run.Query, error) {
	i, err := in.use()
	if err != nil {
		return nil, nil, err
	}
	query, err := q.use()
	return i, query, err
}
