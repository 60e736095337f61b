// Package filter keeps the records of a batch that fit a filter:
//
//	country = "DE" and (amount > 100 or not city ~ '^(Ber|Ham)')
//
// A filter is a tree. Each of its nodes narrows a selection of records: "and" lets its parts
// do so one after the other, "or" puts together what its parts keep of what is left, "not"
// keeps the rest. The leaves, which compare fields, are loops over a column without calls
// and, where the data would decide them at random, without branches.
//
// What a comparison is about follows from how it is written. With a number it compares
// numbers, exactly: a field that is missing or no number then fits under no operator, so
// that it fits the negation of all. With a text it compares bytes. Two columns are compared
// as numbers where both are numbers, and as texts otherwise.
package filter

import (
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
)

// Filter says which records fit. It is safe for concurrent use; the workers it gives out
// are not.
type Filter struct {
	root    node
	columns []int
}

// Resolve returns the column, from 0, that is called name. A name that is not quoted and has
// digits only is a number, from 1.
type Resolve = func(name string, quoted bool) (column int, err error)

// Columns returns the columns, from 0 and ascending, that the filter looks at.
func (f *Filter) Columns() []int { return slices.Clone(f.columns) }

// String returns the filter in one way of writing, which Parse reads as the same filter.
func (f *Filter) String() string { return string(f.root.append(nil, loose)) }

// Worker filters for one goroutine.
type Worker struct {
	root  selector
	batch batch
}

// Worker returns a worker that shares nothing with others.
func (f *Filter) Worker() *Worker {
	b := builder{numbers: map[operand]*decimal.Numbers{}}
	return &Worker{root: f.root.selector(&b)}
}

// Select keeps in sel, in place, the records that fit, in order. column(i) is where text has
// the fields of column i; it is asked for those in Filter.Columns only.
func (w *Worker) Select(text []byte, column func(i int) records.Column, sel records.Selection) records.Selection {
	w.batch = batch{text, column}
	sel = w.root.keep(&w.batch, sel)
	w.batch = batch{}
	return sel
}

// batch is what a filter is asked about.
type batch struct {
	text   []byte
	column func(i int) records.Column
}

// selector keeps in sel, in place, the records that fit. It is called once a batch.
type selector interface {
	keep(b *batch, sel records.Selection) records.Selection
}

// builder makes the selectors of one worker.
type builder struct {
	// numbers is where the numbers of an operand are parsed, whoever asks for them.
	numbers map[operand]*decimal.Numbers
}

func (b *builder) numbersOf(o operand) *decimal.Numbers {
	o.name, o.quoted = "", false
	n := b.numbers[o]
	if n == nil {
		n = new(decimal.Numbers)
		b.numbers[o] = n
	}
	return n
}
