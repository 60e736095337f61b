package table

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// nthAnswer collects certain records.
type nthAnswer struct {
	records []int64 // as the user asked for them
	columns []int

	mu    sync.Mutex
	found map[int64][][]byte // fields, by record
}

func (q *query) newNth(ask *Question, resolve key.Resolve) (*nthAnswer, error) {
	a := &nthAnswer{records: ask.Records, found: map[int64][][]byte{}}
	for _, name := range ask.Columns {
		k, err := key.Parse(name, resolve)
		if err != nil {
			return nil, fmt.Errorf("--nth: %w", err)
		}
		if !k.IsColumn() {
			return nil, fmt.Errorf("--nth: %s is not a column", name)
		}
		a.columns = append(a.columns, k.Column)
	}
	q.want(a.columns...)
	q.lastAsked = max(q.lastAsked, slices.Max(ask.Records))
	return a, nil
}

// collecting is the second pass over a block, which collects the records asked for.
type collecting struct {
	next int64 // number of the next matching record
}

// collect collects n-th records in the block. It waits until the number of matching records
// before the block is known. It returns false if the scan was stopped meanwhile.
func (w *worker) collect(b engine.Block) (ok bool) {
	s, p := &w.block, w.pass
	if !s.fittingKnown {
		if s.fittingBefore, ok = p.fitting.Take(b.Off, p.stop, &p.collected); !ok {
			return p.collected.Load()
		}
		s.fittingKnown = true
	}
	n := w.fitting - s.workerFitting
	if w.asked(s.fittingBefore, s.fittingBefore+n) {
		w.only = &collecting{next: s.fittingBefore}
		if s.carried {
			w.finishLong(s.carry)
		}
		s.done = b.Off
		w.work(b)
		w.only = nil
	}
	p.fitting.Put(b.Off+int64(b.Len), s.fittingBefore+n)
	if s.fittingBefore+n > w.lastAsked {
		p.collected.Store(true)
	}
	return true
}

// asked reports whether any record in [from, to) was asked for.
func (w *worker) asked(from, to int64) bool {
	for _, a := range w.nth {
		if slices.ContainsFunc(a.records, func(r int64) bool { return from <= r && r < to }) {
			return true
		}
	}
	return false
}

// take copies the fields of the records asked for.
func (c *collecting) take(w *worker, sel records.Selection) {
	for _, a := range w.nth {
		for _, r := range a.records {
			if at := r - c.next; 0 <= at && at < int64(len(sel)) {
				a.take(w, r, sel[at])
			}
		}
	}
	c.next += int64(len(sel))
}

func (a *nthAnswer) take(w *worker, record int64, i uint16) {
	var fields [][]byte
	for _, column := range a.columns {
		fields = append(fields, slices.Clone(w.column(column)[i].Of(w.text)))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.found[record] = fields
}

func (a *nthAnswer) write(_ context.Context, r *Run, out Output) error {
	columns := []Column{{Name: "record", Type: Integer}}
	for _, c := range a.columns {
		columns = append(columns, Column{Name: r.first.name(c), Type: Text})
	}
	if err := out.Begin("nth", columns); err != nil {
		return err
	}
	var notes []string
	for _, record := range a.records {
		fields, ok := a.found[record]
		if !ok {
			notes = append(notes, fmt.Sprintf("there is no record %d", record))
			continue
		}
		row := []Cell{{Int: record}}
		for _, f := range fields {
			row = append(row, Cell{Text: f})
		}
		if err := out.Row(row); err != nil {
			return err
		}
	}
	return out.End(notes)
}

// rowsAnswer is the number of records.
type rowsAnswer struct{}

func (rowsAnswer) write(_ context.Context, r *Run, out Output) error {
	if err := out.Begin("rows", []Column{{Name: "rows", Type: Integer}}); err != nil {
		return err
	}
	if err := out.Row([]Cell{{Int: r.Report.Records}}); err != nil {
		return err
	}
	return out.End(nil)
}
