// Package filter selects the records of a batch that match a filter:
//
//	country = "DE" and (amount > 100 or not city ~ '^(Ber|Ham)')
//
//	paid is not null and year(paid) in (2025, 2026) and price * quantity between 10 and 20
//
// A filter is a tree. Each node narrows a selection of records: "and" applies its parts one
// after the other; "or" applies each part to the records that no earlier part matched, and
// merges the results; "not" keeps the other records. The leaves compare fields. They are loops
// over a column without calls, and without branches that depend on the data and would be
// mispredicted.
//
// The right side determines the type of a comparison. A number compares numbers, exactly: a
// field that is empty or not a number then matches no operator, and so matches every negation.
// A text compares bytes. Two columns are compared as numbers if both fields are numbers, and
// as texts otherwise. Expressions are columns whose values were computed before.
package filter

import (
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
)

// Filter is a condition on records. It is safe for concurrent use; its workers are not.
type Filter struct {
	root        node
	columns     []int
	workerBytes int64
}

// Columns returns the columns, from 0 and ascending, that the filter uses.
func (f *Filter) Columns() []int { return slices.Clone(f.columns) }

// WorkerBytes returns the memory that a worker may take for its expressions.
func (f *Filter) WorkerBytes() int64 { return f.workerBytes }

// String returns the filter in a canonical notation, which Parse reads as the same filter.
func (f *Filter) String() string { return string(f.root.append(nil, loose)) }

// Worker filters for one goroutine.
type Worker struct {
	// Quote is the quote around fields, 0 for none. An empty field that is followed by it was written
	// in quotes: the field lies between the two.
	Quote byte

	root  selector
	batch batch
}

// Worker returns a worker that shares no state with other workers.
func (f *Filter) Worker() *Worker {
	b := builder{numbers: map[operand]*decimal.Numbers{}}
	return &Worker{root: f.root.selector(&b)}
}

// Select narrows sel in place to the records that match, in order. column(i) returns the spans
// in text of the fields of column i; it is called only for the columns in Filter.Columns.
func (w *Worker) Select(text []byte, column func(i int) records.Column, sel records.Selection) records.Selection {
	w.batch = batch{text, column, w.Quote}
	sel = w.root.keep(&w.batch, sel)
	w.batch = batch{}
	return sel
}

// batch is a batch of records to be filtered.
type batch struct {
	text   []byte
	column func(i int) records.Column
	quote  byte
}

// selector narrows sel in place to the records that match. It is called once per batch.
type selector interface {
	keep(b *batch, sel records.Selection) records.Selection
}

// builder makes the selectors of one worker.
type builder struct {
	// numbers holds the parsed numbers of each operand, shared by all comparisons that use it.
	numbers map[operand]*decimal.Numbers
}

func (b *builder) numbersOf(o operand) *decimal.Numbers {
	o.text = ""
	n := b.numbers[o]
	if n == nil {
		n = new(decimal.Numbers)
		b.numbers[o] = n
	}
	return n
}
