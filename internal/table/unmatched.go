package table

import (
	"sync/atomic"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/table/hashjoin"
	"github.com/thresh-dev/thresh/internal/table/order"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// Where the left side of a join is in memory, or a side of a full one, its rows are marked when a record matches them.
// Which rows have no match, or some, is known when all inputs have been read. They then come after the other rows, in
// the order of their file.

// marks has a bit for each place of a table in memory. It is safe for concurrent use.
type marks []atomic.Uint64

func newMarks(places int) *marks {
	m := make(marks, (places+63)/64)
	return &m
}

// mark marks a row and those with the same key, which are after it.
func (m *marks) mark(t *hashjoin.Table, row hashjoin.Row) {
	for ; row != 0; row = t.Next(row) {
		word, bit := &(*m)[(row-1)/64], uint64(1)<<((row-1)%64)
		if word.Load()&bit != 0 { // whoever marked it marks the others
			return
		}
		word.Or(bit)
	}
}

func (m *marks) has(row hashjoin.Row) bool { return (*m)[(row-1)/64].Load()>>((row-1)%64)&1 == 1 }

// Unmatched adds the rows of a left side in memory to the answers that only now are known to belong there. All inputs
// must have been read to their ends.
func (r *Run) Unmatched() error {
	if r.err != nil || r.Enough() {
		return r.err
	}
	if err := r.Settle(); err != nil {
		return err
	}
	if len(r.query.Joins) == 0 || !r.query.Joins[0].KeepsRows() {
		return nil
	}
	r.pass = &pass{number: r.inputs + 1, file: &source.File{Name: r.query.Joins[0].Name}, stop: new(atomic.Bool),
		lost: func(failure.UnreadError) {}, partials: scan.NewOrder[partial]()}
	if r.query.Streams() {
		r.pass.turns = scan.NewHandoff[*printer](0, nil)
	}
	w, ok := r.Searcher(r.pass.lost, r.pass.stop).(*worker)
	if !ok {
		return r.err
	}
	w.addUnmatched()
	w.Finish()
	if r.err != nil {
		return r.err
	}
	for i := range w.block.marks { // there is no line that is known
		w.block.marks[i].line = w.block.marks[i].off
	}
	return r.report(r.pass.file.Name, partial{marks: w.block.marks})
}

// Settle makes the query of a table without any record.
func (r *Run) Settle() (err error) {
	if r.query != nil {
		return nil
	}
	if r.query, err = r.spec.Compile(query.First{}); err != nil {
		return &failure.SpecError{Err: err}
	}
	r.scales, r.firsts = make([]int, len(r.query.Numbers)), r.noFirsts()
	r.begun()
	return nil
}

// begun makes what all workers have in common for the questions that have been compiled.
func (r *Run) begun() {
	for _, j := range r.query.Joins {
		if j.KeepsRows() && j.Rows != nil {
			r.marks = newMarks(j.Rows.Places())
		}
	}
	if r.query.Printed != nil {
		r.printer = &printer{answer: r.query.Printed, out: r.out}
	}
	if r.query.Sorted != nil && r.query.Printed.Most > 0 {
		r.bound = new(order.Bound)
	}
	for _, p := range r.query.Samples {
		r.samples = append(r.samples, newSample(p))
	}
	for _, p := range r.query.Nth {
		r.certain = append(r.certain, &found{NthPlan: p, fields: map[int64][][]byte{}})
	}
}

// addUnmatched adds rows of the first join in batches, with nulls for the fields of a record.
func (w *worker) addUnmatched() {
	p := w.probes[0]
	w.block = blockState{}
	w.bounds = bounds{}
	w.formatted.reset()
	if w.query.Streams() {
		w.block.turn, w.block.exact = w.run.printer, true
	}
	rows := make([]hashjoin.Row, 0, records.Max)
	w.At = func(i uint16) int64 { return int64(rows[i]) }
	w.Batch.Begin(nil)
	flush := func() {
		sel := w.every[:len(rows)]
		for slot := range w.Columns {
			for _, i := range sel {
				w.Columns[slot][i], w.Texts[slot][i] = value.Null, value.Null
			}
		}
		for i, row := range rows {
			p.fill(w, uint16(i), row)
		}
		w.derive(0, p.Known, sel)
		w.join(1, sel)
		w.Text, rows = w.Text[:0], rows[:0]
	}
	for row := range p.Rows.All() {
		if p.marks.has(row) != (p.How == query.Semi) {
			continue
		}
		if rows = append(rows, row); len(rows) == batchRecords.Get() {
			flush()
		}
		if w.block.enough || w.dead {
			break
		}
	}
	if len(rows) > 0 && !w.block.enough {
		flush()
	}
	if w.query.Streams() && !w.dead {
		w.print()
	}
}
