package run

import (
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/search/count"
	"github.com/thresh-dev/thresh/internal/search/find"
	"github.com/thresh-dev/thresh/question"
)

// Query is what to look for, or to count. It is immutable and safe for concurrent use. The public
// package documents the constructors.
type Query struct {
	selector *find.Selector // nil for what can only be counted
	counter  *count.Counter
}

// NonZero looks for the bytes that are not 0.
func NonZero() *Query { return &Query{find.NonZero(), count.NonZero()} }

// Lines counts lines.
func Lines() *Query { return &Query{counter: count.Lines()} }

// Words counts words.
func Words() *Query { return &Query{counter: count.Words()} }

// Chars counts characters.
func Chars() *Query { return &Query{counter: count.Chars()} }

// LinesWordsChars counts lines, words and characters.
func LinesWordsChars() *Query { return &Query{counter: count.LinesWordsChars()} }

// Rows counts the records of text with delimiters.
func Rows(delim byte) *Query { return &Query{counter: count.Rows(delim)} }

// Text looks for the bytes of s.
func Text(s string) (*Query, error) { return selecting(find.Text(s)) }

// Hex looks for bytes in hexadecimal.
func Hex(s string) (*Query, error) { return selecting(find.Hex(s)) }

// Regexps looks for matches of any of some expressions.
func Regexps(exprs []string) (*Query, error) { return selecting(find.Regexps(exprs)) }

// Any looks for any of some literals.
func Any(l question.Literals) (*Query, error) { return selecting(find.Any(l)) }

// Values looks for the values of a column.
func Values(c question.Values) (*Query, error) { return selecting(find.Values(c)) }

// Statistics counts and sums the values of a column.
func Statistics(c question.Values) (*Query, error) { return counter(count.Statistics(c)) }

// Histogram counts the values of a column by bins.
func Histogram(c question.Values, b question.Bins) (*Query, error) {
	return counter(count.Histogram(c, b))
}

func selecting(s *find.Selector, err error) (*Query, error) {
	if err != nil {
		return nil, err
	}
	return &Query{s, count.Matches(s)}, nil
}

func counter(c *count.Counter, err error) (*Query, error) {
	if err != nil {
		return nil, err
	}
	return &Query{counter: c}, nil
}

// Kernel names the kernel that the query runs on this machine, and its instruction set.
func (q *Query) Kernel() string { return q.traits().Kernel }

// traits returns what the plan must know: of finding, if the query has places.
func (q *Query) traits() *scan.Traits {
	if q.selector != nil {
		return &q.selector.Traits
	}
	return &q.counter.Traits
}
