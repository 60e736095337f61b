package table

import (
	"bytes"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/query"
)

// In SQL a value that an expression or a filter asks for a number or a time, and that is none, is null and counted:
// once a record for all places that ask the same. The counts travel with the first one as marks of a stretch, so that
// a limit reports what lies before it.

// The columns of marks of such values.
const (
	askedNumber = -2
	askedTime   = -3
)

// asking is what a worker knows of values that are not what was asked for.
type asking struct {
	names   map[expr.Node]string
	seen    map[askedFor]*[records.Max]uint32 // by record: the batch in which it was counted
	batches uint32
	scope   int // of the filter that is at work
	pending []pendingBad
}

// askedFor is a column or an expression, and what a question asks its values for.
type askedFor struct {
	name     string
	column   int // askedNumber or askedTime
	question int
}

// pendingBad is a value that counts if its record meets the condition of the question.
type pendingBad struct {
	of     askedFor
	record uint16
	text   []byte
}

// askedValues are values that are not what a question asks them for.
type askedValues struct {
	answer.NonNumeric
	question int
}

// isSame reports whether two are about the same column and what it was asked to be.
func (a *askedValues) isSame(o *answer.NonNumeric) bool {
	return a.Column == o.Column && a.Times == o.Times
}

// badOf reports a value of a part of a derived column that is not what was asked for.
func (w *worker) badOf(derived int, i uint16, of expr.Node, text []byte, asked expr.Asked) {
	if w.only != nil {
		return
	}
	name, ok := w.asking.names[of]
	if !ok {
		e := expr.Of(of)
		if name = e.Named(w.query.Name); len(e.Columns()) == 1 {
			if o, ok := e.Operand(); ok {
				name = w.query.Name(o.Column) + o.Slice.String()
			}
		}
		if w.asking.names == nil {
			w.asking.names = map[expr.Node]string{}
		}
		w.asking.names[of] = name
	}
	column := askedNumber
	if asked == expr.Time {
		column = askedTime
	}
	d := &w.query.Derived.All[derived]
	for _, question := range d.Before {
		w.isBad(i, askedFor{name, column, question}, text)
	}
	for _, question := range d.After {
		w.asking.pending = append(w.asking.pending,
			pendingBad{askedFor{name, column, question}, i, bytes.Clone(text)})
	}
}

// settleAsked counts the values that were found in the batch before its records were divided.
func (w *worker) settleAsked() {
	for _, p := range w.asking.pending {
		if _, ok := slices.BinarySearch(w.scopes[w.query.ScopeOf[p.of.question]].sel, p.record); ok {
			w.isBad(p.record, p.of, p.text)
		}
	}
	w.asking.pending = w.asking.pending[:0]
}

// comparesBad reports a value that a filter compares with a number, and that is none.
func (w *worker) comparesBad(column int, i uint16, field records.Span) {
	for question, scope := range w.query.ScopeOf {
		if w.asking.scope == query.PassFilter || w.asking.scope == scope {
			w.isBad(i, askedFor{w.query.Name(column), askedNumber, question}, field.Of(w.Text))
		}
	}
}

// isBad counts a value that is not what was asked for, once for its record.
func (w *worker) isBad(i uint16, of askedFor, text []byte) {
	if w.only != nil {
		return
	}
	seen := w.asking.seen[of]
	if seen == nil {
		if w.asking.seen == nil {
			w.asking.seen = map[askedFor]*[records.Max]uint32{}
		}
		seen = new([records.Max]uint32)
		w.asking.seen[of] = seen
	}
	if seen[i] == w.asking.batches {
		return
	}
	seen[i] = w.asking.batches
	w.reject(i, noNumber)
	m := mark{off: w.At(i), column: of.column, name: of.name, question: of.question, count: 1}
	for k := range w.block.marks {
		if known := &w.block.marks[k]; known.isOf(&m) {
			if known.count++; known.off > m.off {
				known.off, known.reason = m.off, of.reason(w.asIs(text))
			}
			return
		}
	}
	m.reason = of.reason(w.asIs(text))
	w.mark(m)
}

func (of askedFor) reason(text []byte) string {
	reason := badNumber(of.name, text)
	if of.column == askedTime {
		quoted := reason[:strings.LastIndexByte(reason, '"')+1]
		reason = quoted + " is not a time"
	}
	return reason
}

// asked reports values that are not what was asked for.
func (r *Run) asked(m mark, first failure.Problem) {
	bad := askedValues{answer.NonNumeric{Column: m.name, Count: m.count, First: first, Times: m.column == askedTime},
		m.question}
	for i := range r.Report.asked {
		if known := &r.Report.asked[i]; known.isSame(&bad.NonNumeric) && known.question == m.question {
			known.Count += m.count
			return
		}
	}
	r.Report.asked = append(r.Report.asked, bad)
}
