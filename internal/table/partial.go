package table

import (
	"slices"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/options"
)

// marksMax is how many malformed records of a stretch are reported with their lines.
const marksMax = 5

// partial is the partial result of a stretch of the input, besides the answers. Line numbers
// count from the start of the stretch.
type partial struct {
	lines int64 // line feeds, also those within quotes
	// marks are the first problems of the stretch: malformed records and, for each number column,
	// the first field that is not a number.
	marks []mark
}

// mark is a problem in a stretch.
type mark struct {
	line, off int64
	column    int // number column of a bad number; notColumn for a malformed record; askedNumber or askedTime
	reason    string
	name      string // of what a question asks for a number or a time
	question  int
	count     int64 // of the values that are none
}

// isOf reports whether a mark is about the same values that are not what was asked for.
func (m *mark) isOf(o *mark) bool {
	return m.column == o.column && m.name == o.name && m.question == o.question && m.count > 0
}

const notColumn = -1

// Then returns the partial result of two neighbouring stretches.
func (s partial) Then(next partial) partial {
	marks := slices.Clone(s.marks) // whose counts change
	for _, m := range next.marks {
		m.line += s.lines
		marks = appendMark(marks, m)
	}
	return partial{s.lines + next.lines, marks}
}

// appendMark appends a mark, unless there are enough marks of its kind.
func appendMark(marks []mark, m mark) []mark {
	same := 0
	for i := range marks {
		switch other := &marks[i]; {
		case other.isOf(&m):
			other.count += m.count
			return marks
		case other.column == m.column:
			same++
		}
	}
	if m.count == 0 && (same == marksMax || m.column != notColumn && same == 1) {
		return marks
	}
	return append(marks, m)
}

// report adds the result of an input to the report. If malformed records are errors, it returns
// the first one.
func (r *Run) report(name string, whole partial) error {
	var first error
	for _, m := range whole.marks {
		p := &failure.Problem{Name: name, Line: m.line + 1, Off: m.off, Reason: m.reason}
		switch {
		case m.count > 0:
			r.asked(m, *p)
		case m.column != notColumn:
			if r.firsts[m.column] == nil {
				r.firsts[m.column] = p
			}
		case r.spec.Malformed == options.MalformedFail:
			if first == nil {
				first = p
			}
		case len(r.Report.Problems) < marksMax:
			r.Report.Problems = append(r.Report.Problems, *p)
		}
	}
	r.count()
	return first
}

// count adds up the counters of all workers, for all inputs.
func (r *Run) count() {
	rep := &r.Report
	rep.Records, rep.Empty, rep.Malformed, rep.bad = 0, r.emptyBefore, 0, nil
	rep.MalformedLines, rep.MalformedBytes, rep.Seen = 0, 0, r.headers
	var all totals
	for _, w := range r.all {
		all.merge(w.totals)
	}
	if r.query != nil && r.query.Streams() && r.query.Printed.Most > 0 {
		all = r.printer.totals
	}
	rep.Records, rep.Malformed = all.fitting, all.malformed
	rep.Empty += all.empty
	rep.MalformedLines, rep.MalformedBytes = all.malformedLines, all.malformedBytes
	rep.Seen += all.bytes
	r.countAbsent()
	r.countCompared()
	for i, first := range r.firsts {
		if i == len(r.query.Numbers) {
			break
		}
		// Texts are no surprise where columns are described.
		if first == nil || r.query.Profiled != nil || !r.skipsTexts(i) {
			continue
		}
		seen := r.seenOf(i)
		bad := badNumbers{answer.NonNumeric{Column: r.query.Name(r.query.Numbers[i]), First: *first,
			Number: r.numberOf(r.query.Numbers[i])}, i}
		bad.Count, bad.Of = seen.Bad, r.records(r.query.Within[i])-seen.Nulls
		rep.bad = append(rep.bad, bad)
	}
}
