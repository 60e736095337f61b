package table

import (
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/split"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// splitter returns a splitter for an input; nil if its lines are not split.
func (r *Run) splitter(p *pass) *split.Splitter {
	if !r.query.Dialect.Splits() || p == nil {
		return nil
	}
	return r.query.Dialect.Form().New(p.wanted)
}

// splitLine does the work of locateLine.
func (w *worker) splitLine(i uint16, from, to uint32, bad func(reason string) (keep bool), off int64) (ok bool) {
	line := query.TrimEnd(w.Text[from:to])
	empty, comment := w.query.Dialect.IsNone(line)
	if comment {
		return false
	}
	if empty && (w.pass.fields > 1 || len(line) > 0) {
		w.emptyLine()
		return false
	}
	n := w.split.Split(line)
	reason := query.Faulty(w.split.Fault, off+int64(from)+int64(w.split.At))
	if reason == "" && n != w.pass.fields {
		reason = wrongNumber(n, w.pass.fields)
	}
	if reason != "" && !bad(reason) {
		return false
	}
	for slot, s := range w.split.Spans {
		if w.Columns[slot][i] = value.Null; s.Len > 0 {
			w.Columns[slot][i] = records.Span{Off: from + s.Off, Len: s.Len}
		}
	}
	return true
}
