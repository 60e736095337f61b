package run

import (
	"github.com/thresh-dev/thresh/failure"
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
	Asked
}

// Asked is what a query was made of, in a form that can be sent to another process.
type Asked struct {
	Kind     string // a key of askedKinds
	Delim    byte
	Literals question.Literals
	Regexps  []string
	Values   question.Values
	Bins     question.Bins
}

// askedKinds make a query of what was asked.
var askedKinds = map[string]func(Asked) (*Query, error){
	"nonzero":   func(Asked) (*Query, error) { return NonZero(), nil },
	"lines":     func(Asked) (*Query, error) { return Lines(), nil },
	"words":     func(Asked) (*Query, error) { return Words(), nil },
	"chars":     func(Asked) (*Query, error) { return Chars(), nil },
	"sizes":     func(Asked) (*Query, error) { return LinesWordsChars(), nil },
	"rows":      func(a Asked) (*Query, error) { return Rows(a.Delim), nil },
	"any":       func(a Asked) (*Query, error) { return Any(a.Literals) },
	"regexps":   func(a Asked) (*Query, error) { return Regexps(a.Regexps) },
	"values":    func(a Asked) (*Query, error) { return Values(a.Values) },
	"stats":     func(a Asked) (*Query, error) { return Statistics(a.Values) },
	"histogram": func(a Asked) (*Query, error) { return Histogram(a.Values, a.Bins) },
}

// Query returns the query again.
func (a Asked) Query() (*Query, error) {
	again := askedKinds[a.Kind]
	if again == nil {
		return nil, failure.ErrNoQuery
	}
	return again(a)
}

// NonZero looks for the bytes that are not 0.
func NonZero() *Query {
	return &Query{selector: find.NonZero(), counter: count.NonZero(), Asked: Asked{Kind: "nonzero"}}
}

// Lines counts lines.
func Lines() *Query { return &Query{counter: count.Lines(), Asked: Asked{Kind: "lines"}} }

// Words counts words.
func Words() *Query { return &Query{counter: count.Words(), Asked: Asked{Kind: "words"}} }

// Chars counts characters.
func Chars() *Query { return &Query{counter: count.Chars(), Asked: Asked{Kind: "chars"}} }

// LinesWordsChars counts lines, words and characters.
func LinesWordsChars() *Query {
	return &Query{counter: count.LinesWordsChars(), Asked: Asked{Kind: "sizes"}}
}

// Rows counts the records of text with delimiters.
func Rows(delim byte) *Query {
	return &Query{counter: count.Rows(delim), Asked: Asked{Kind: "rows", Delim: delim}}
}

// Text looks for the bytes of s.
func Text(s string) (*Query, error) {
	q, err := find.Text(s)
	return selecting(Asked{Kind: "any", Literals: question.Literals{Texts: []string{s}}}, q, err)
}

// Hex looks for bytes in hexadecimal.
func Hex(s string) (*Query, error) {
	q, err := find.Hex(s)
	return selecting(Asked{Kind: "any", Literals: question.Literals{Hex: []string{s}}}, q, err)
}

// Regexps looks for matches of any of some expressions.
func Regexps(exprs []string) (*Query, error) {
	q, err := find.Regexps(exprs)
	return selecting(Asked{Kind: "regexps", Regexps: exprs}, q, err)
}

// Any looks for any of some literals.
func Any(l question.Literals) (*Query, error) {
	q, err := find.Any(l)
	return selecting(Asked{Kind: "any", Literals: l}, q, err)
}

// Values looks for the values of a column.
func Values(c question.Values) (*Query, error) {
	q, err := find.Values(c)
	return selecting(Asked{Kind: "values", Values: c}, q, err)
}

// Statistics counts and sums the values of a column.
func Statistics(c question.Values) (*Query, error) {
	q, err := count.Statistics(c)
	return counter(Asked{Kind: "stats", Values: c}, q, err)
}

// Histogram counts the values of a column by bins.
func Histogram(c question.Values, b question.Bins) (*Query, error) {
	q, err := count.Histogram(c, b)
	return counter(Asked{Kind: "histogram", Values: c, Bins: b}, q, err)
}

func selecting(asked Asked, s *find.Selector, err error) (*Query, error) {
	if err != nil {
		return nil, err
	}
	return &Query{s, count.Matches(s), asked}, nil
}

func counter(asked Asked, c *count.Counter, err error) (*Query, error) {
	if err != nil {
		return nil, err
	}
	return &Query{counter: c, Asked: asked}, nil
}

// Kernel names the kernel that the query runs on this machine, and its instruction set.
func (q *Query) Kernel() string { return q.traits().Kernel }

// Trailing returns how many bytes at the end of a range hold a part of a value, which is not compared.
func (q *Query) Trailing(bytes int64) int64 { return q.traits().Trailing(bytes) }

// traits returns what the plan must know: of finding, if the query has places.
func (q *Query) traits() *scan.Traits {
	if q.selector != nil {
		return &q.selector.Traits
	}
	return &q.counter.Traits
}
