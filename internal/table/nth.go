package table

import (
	"fmt"
	"slices"
	"sync"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/query"
)

// found is what was found of certain records.
type found struct {
	*query.NthPlan
	mu     sync.Mutex
	fields map[int64][][]byte // by record
	bytes  int64              // memory of fields
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
	if s.fittingBefore+n > w.query.LastAsked {
		p.collected.Store(true)
	}
	return true
}

// asked reports whether any record in [from, to) was asked for.
func (w *worker) asked(from, to int64) bool {
	for _, a := range w.query.Nth {
		if slices.ContainsFunc(a.Records, func(r query.Span) bool { return from <= r.Last && r.First < to }) {
			return true
		}
	}
	return false
}

// take copies the fields of the records asked for.
func (c *collecting) take(w *worker, sel records.Selection) {
	for _, a := range w.run.certain {
		for _, r := range a.Records {
			for at := max(r.First-c.next, 0); at <= min(r.Last-c.next, int64(len(sel))-1); at++ {
				a.take(w, c.next+at, sel[at])
			}
		}
	}
	c.next += int64(len(sel))
}

func (a *found) take(w *worker, record int64, i uint16) {
	var fields [][]byte
	for _, column := range a.Columns {
		fields = append(fields, slices.Clone(w.Field(w.TextColumn(column)[i])))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, twice := a.fields[record]; twice {
		return
	}
	a.fields[record] = fields
	a.bytes += fieldsBytes(fields)
	if bound := w.run.options.MemBytes; bound > 0 && a.bytes > bound {
		w.fail(fmt.Errorf("thresh.Records: the first %d of these records do not fit in %d bytes, the part of "+
			"Run.MemoryBytes for them; "+
			"ask for fewer, raise Run.MemoryBytes, or print records with thresh.Select", len(a.fields), bound))
	}
}

// fieldsBytes is about how much memory the fields of a record take.
func fieldsBytes(fields [][]byte) int64 {
	n := int64(64)
	for _, f := range fields {
		n += int64(len(f)) + 32
	}
	return n
}

func (r *Run) writeNth(a *found, out answer.Writer) error {
	columns := []answer.Column{{Name: "record", Type: answer.ColumnInteger}}
	for _, c := range a.Columns {
		columns = append(columns, answer.Column{Name: r.query.First.Name(c), Type: answer.ColumnText})
	}
	if err := out.Begin("nth", columns); err != nil {
		return err
	}
	var notes []string
	for _, span := range a.Records {
		record := span.First
		for ; record <= span.Last; record++ {
			fields, ok := a.fields[record]
			if !ok {
				break
			}
			cells := []answer.Cell{{Int: record}}
			for _, f := range fields {
				cells = append(cells, answer.Cell{Null: f == nil, Text: f})
			}
			if err := out.Row(cells); err != nil {
				return err
			}
		}
		switch {
		case record > span.Last:
		case record == span.Last:
			notes = append(notes, fmt.Sprintf("there is no record %d", record))
		default:
			notes = append(notes, fmt.Sprintf("there are no records %d-%d", record, span.Last))
		}
	}
	return out.End(notes)
}

// writeRows writes the number of records.
func (r *Run) writeRows(out answer.Writer) error {
	if err := out.Begin("rows", []answer.Column{{Name: "rows", Type: answer.ColumnInteger}}); err != nil {
		return err
	}
	if err := out.Row([]answer.Cell{{Int: r.Report.Records}}); err != nil {
		return err
	}
	return out.End(nil)
}
