// Package table answers questions about delimited text: how many records, which, grouped by
// what, adding up to how much. All of them are answered in one pass.
//
// A worker copies a chunk of its block, finds the delimiters and the ends of records by
// vector instructions, and works on some hundred records at a time, field by field. Its
// groups and sums are its own until all workers have ended.
//
// Where quoted fields may hold line feeds, a block may begin inside of one or not. So blocks
// are summed up for every state that they may begin in, which is quick, and the sums are
// composed in the order of the file: the block is then worked on knowing where its first
// record begins. Nothing is guessed.
package table

import (
	"context"
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/table/filter"
)

// Dialect is how a table is written.
type Dialect struct {
	Delim  byte // between fields
	Quote  byte // around fields that hold delimiters, quotes or line feeds; 0 for none
	Header bool // the first record names the columns
}

func (d Dialect) fields() fields.Dialect {
	return fields.Dialect{Delim: d.Delim, Quote: d.Quote, Quoted: d.Quote != 0}
}

func (d Dialect) check() error {
	switch {
	case d.Delim == '\n' || d.Delim == '\r':
		return fmt.Errorf("delimiter %q: records end with it", d.Delim)
	case d.Quote == '\n' || d.Quote == '\r':
		return fmt.Errorf("quote %q: records end with it", d.Quote)
	case d.Quote == d.Delim && d.Quote != 0:
		return fmt.Errorf("%q cannot be both the delimiter and the quote; choose another, or --quote none", d.Delim)
	}
	return nil
}

// Malformed says what becomes of records that are not as RFC 4180 has them, or have more or
// fewer fields than the first.
type Malformed uint8

const (
	Fail Malformed = iota // the first of them ends the pass
	Skip                  // they are no records
	Keep                  // missing fields are empty, and additional ones are not looked at
)

// Kind is what a question asks for.
type Kind uint8

// The kinds of questions.
const (
	Rows  Kind = iota // how many records
	Nth               // certain records
	Group             // groups of records, and what their values add up to
	Top               // the commonest keys
)

// Question is one question. All questions of a pass are about the records that fit its
// filter.
type Question struct {
	Kind       Kind
	Records    []int64  // of Nth, from 0
	Columns    []string // of Nth, by number from 1 or by name
	Keys       string   // of Group and Top: KEY[,KEY...]; empty puts all records into one group
	Aggregates string   // of Group: "count,sum(amount)"; empty means count
	By         string   // of Group: descending by this aggregate, ties by key; empty sorts by key
	Limit      int64    // of Group and Top: so many groups, all when 0
}

// SpecError reports a Spec that cannot be used, by itself or with the columns of the input.
type SpecError struct{ Err error }

func (e *SpecError) Error() string { return e.Err.Error() }
func (e *SpecError) Unwrap() error { return e.Err }

// Spec is what is asked of one table.
type Spec struct {
	Dialect   Dialect
	Malformed Malformed
	Where     string // the filter, empty for none
	Questions []Question
}

// query is a specification whose columns were found.
type query struct {
	Spec
	first     First
	wanted    []int // columns that are looked at, ascending
	filter    *filter.Filter
	numbers   []int // of columns, those that are parsed as numbers
	nth       []*nthAnswer
	lastAsked int64 // the last record that one of them asks for
	groups    []*groupAnswer
	answers   []answer // in the order of the questions
}

// answer writes what the workers found out for one question.
type answer interface {
	write(ctx context.Context, r *Run, out Output) error
}

// compile finds the columns that a specification speaks of in the first record.
func (s Spec) compile(first First) (*query, error) {
	q := &query{Spec: s, first: first}
	resolve := first.resolve()
	if s.Where != "" {
		filter, err := filter.Parse(s.Where, filter.Resolve(resolve))
		if err != nil {
			return nil, fmt.Errorf("--where: %w", err)
		}
		q.filter = filter
		q.look(filter.Columns()...)
	}
	for i := range s.Questions {
		a, err := q.question(&s.Questions[i], resolve)
		if err != nil {
			return nil, err
		}
		q.answers = append(q.answers, a)
	}
	slices.Sort(q.wanted)
	return q, nil
}

func (q *query) question(ask *Question, resolve func(string, bool) (int, error)) (answer, error) {
	switch ask.Kind {
	case Rows:
		return rowsAnswer{}, nil
	case Nth:
		a, err := q.newNth(ask, resolve)
		if err == nil {
			q.nth = append(q.nth, a)
		}
		return a, err
	}
	a, err := q.newGroup(ask, resolve)
	if err == nil {
		a.rename(q.first)
		q.groups = append(q.groups, a)
	}
	return a, err
}

// look takes note that columns are looked at.
func (q *query) look(columns ...int) {
	for _, c := range columns {
		if !slices.Contains(q.wanted, c) {
			q.wanted = append(q.wanted, c)
		}
	}
}

// parse takes note that a column is parsed as numbers, and returns which of those it is.
func (q *query) parse(column int) int {
	q.look(column)
	if i := slices.Index(q.numbers, column); i >= 0 {
		return i
	}
	q.numbers = append(q.numbers, column)
	return len(q.numbers) - 1
}

// slot returns which of the columns that are looked at a column is.
func (q *query) slot(column int) int {
	i, _ := slices.BinarySearch(q.wanted, column)
	return i
}

// ordered reports whether the blocks of an input have to be begun in file order.
func (q *query) ordered(stream bool) bool {
	return q.Dialect.Quote != 0 || stream || len(q.nth) > 0
}
