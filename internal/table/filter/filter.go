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
// The right side determines the type of a comparison. A number compares numbers, exactly. A text compares bytes.
// Two columns are compared as numbers if both fields are numbers, and as texts otherwise. Expressions are columns
// whose values were computed before.
//
// A condition is true, false or unknown, as in SQL, and true records are selected. A comparison with a field that
// is null is unknown, and so is that of a number with a field that is none. "not" of what is unknown is unknown.
// So a "not" is moved to the leaves when selectors are made, and each leaf selects the records for which it is
// true or, negated, for which it is false.
package filter

import (
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// Filter is a condition on records. It is safe for concurrent use; its workers are not.
type Filter struct {
	early       node // of Early; nil if there is none
	root        node
	columns     []int
	workerBytes int64
}

// Columns returns the columns, from 0 and ascending, that the filter uses.
func (f *Filter) Columns() []int { return slices.Clone(f.columns) }

// WorkerBytes returns the memory that a worker may take for its expressions.
func (f *Filter) WorkerBytes() int64 { return f.workerBytes }

// After returns the filter of the records that another one, which Early applies, and then this one match.
func (f *Filter) After(early *Filter) *Filter {
	columns := slices.Concat(f.columns, early.columns)
	slices.Sort(columns)
	return &Filter{early.root, f.root, slices.Compact(columns), f.workerBytes + early.workerBytes}
}

// String returns the filter in a canonical notation, which Parse reads as the same filter.
func (f *Filter) String() string {
	if f.early != nil {
		return string((&all{slices.Concat(parts(f.early), parts(f.root))}).append(nil, loose))
	}
	return string(f.root.append(nil, loose))
}

// parts returns the conditions that are true if one is.
func parts(n node) []node {
	if a, ok := n.(*all); ok {
		return a.parts
	}
	return []node{n}
}

// Worker filters for one goroutine.
type Worker struct {
	// Mark follows empty fields that are not null, see value.IsNull.
	Mark byte
	// Again says that the records of the next batch were filtered before, and are not compared for the first time.
	Again bool
	// Bad, if it is not nil, is called for each value that is compared with a number, is not null, and is none.
	Bad func(column int, record uint16, field records.Span)

	early    selector
	root     selector
	batch    batch
	compared []*Compared
}

// Worker returns a worker that shares no state with other workers.
func (f *Filter) Worker() *Worker {
	b := builder{numbers: map[operand]*decimal.Numbers{}, compared: map[operand]*Compared{}}
	w := &Worker{}
	if f.early != nil {
		w.early = f.early.selector(&b, false)
	}
	w.root = f.root.selector(&b, false)
	w.compared = b.watched
	return w
}

// Early is Select with the filter that comes before this one.
func (w *Worker) Early(text []byte, column func(i int) records.Column, sel records.Selection) records.Selection {
	return w.keep(w.early, text, column, sel)
}

// Select narrows sel in place to the records that match, in order. column(i) returns the spans
// in text of the fields of column i; it is called only for the columns in Filter.Columns.
func (w *Worker) Select(text []byte, column func(i int) records.Column, sel records.Selection) records.Selection {
	return w.keep(w.root, text, column, sel)
}

func (w *Worker) keep(s selector, text []byte, column func(i int) records.Column,
	sel records.Selection) records.Selection {
	w.batch = batch{text, column, w.Mark, w.Again, w.Bad}
	for _, c := range w.compared {
		c.First = -1
	}
	sel = s.keep(&w.batch, sel)
	w.batch = batch{}
	return sel
}

// batch is a batch of records to be filtered.
type batch struct {
	text   []byte
	column func(i int) records.Column
	mark   byte
	again  bool
	bad    func(column int, record uint16, field records.Span)
}

// isBad reports a field that is compared with a number and is none.
func (b *batch) isBad(column int, i uint16, field records.Span) {
	if b.bad != nil && (field.Len > 0 || !value.IsNull(b.text, field, b.mark)) {
		b.bad(column, i, field)
	}
}

// selector narrows sel in place to the records that match. It is called once per batch.
type selector interface {
	keep(b *batch, sel records.Selection) records.Selection
}

// builder makes the selectors of one worker.
type builder struct {
	// numbers holds the parsed numbers of each operand, shared by all comparisons that use it.
	numbers  map[operand]*decimal.Numbers
	compared map[operand]*Compared
	watched  []*Compared // the same, in the order of the filter
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
