package table

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/spelling"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/ndjson"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// Lines of JSON are a table, too. A column is a path, and the values of a batch of lines are put where the
// fields of delimited text would be. So all answers are made in the same way. A value that is null or missing is
// value.Null.

// processLines processes n lines of the chunk, the first of which begins at begin.
func (w *worker) processLines(begin uint32, n int, off int64) {
	ends, sel, from := w.ends[:n], w.sel[:0], begin
	if w.only == nil {
		w.block.feeds += int64(n)
	}
	for i, end := range ends {
		bad := func(reason string) bool { return w.malformedInChunk(off, from, end, reason) }
		if w.locateLine(uint16(i), from, end, bad, off) {
			sel = append(sel, uint16(i))
		}
		if w.block.failed {
			break
		}
		from = end + 1
	}
	w.bounds = bounds{begin: begin, ends: ends}
	w.clock.lap(stageFields)
	w.answer(sel, func(i uint16) int64 { return off + int64(w.bounds.from(i)) })
}

// locateLine finds the values of line i, which lies in [from, to) of the text; the text begins at off in the input.
// It returns false for a line that is left out. Bad reports a malformed line, and returns whether it is kept.
func (w *worker) locateLine(i uint16, from, to uint32, bad func(reason string) (keep bool), off int64) (ok bool) {
	if w.split != nil {
		return w.splitLine(i, from, to, bad, off)
	}
	if ndjson.IsBlank(w.Text[from:to]) {
		w.emptyLine()
		return false
	}
	if at, reason := w.json.Line(int(from), int(to)); reason != "" && !bad(notJSON(reason, off+int64(at))) {
		return false
	}
	for slot, v := range w.json.Values {
		column := w.Columns[slot]
		switch v.Kind {
		case ndjson.Missing:
			column[i] = value.Null
		case ndjson.Escaped:
			w.value = ndjson.Unescape(w.value[:0], w.Text[v.From:v.To])
			column[i] = w.Batch.Add(w.value)
			w.Odd[slot] = w.Odd[slot] || w.value[0] == 0
		default:
			column[i] = records.Span{Off: v.From, Len: v.To - v.From}
			w.Odd[slot] = w.Odd[slot] || v.From == v.To
		}
	}
	if w.raw != nil {
		w.locateRaw(i)
	}
	return true
}

// locateRaw puts the printed values as they are written where they are printed from.
func (w *worker) locateRaw(i uint16) {
	for k, column := range w.query.Printed.Columns {
		if w.query.Derived.Has(column) || w.query.Slot(column) == w.query.FileSlot {
			continue
		}
		v := w.json.Values[w.Slot(column)]
		switch v.Kind {
		case ndjson.Missing:
			w.raw[k][i] = value.Null
		case ndjson.Plain:
			w.raw[k][i] = records.Span{Off: v.From, Len: v.To - v.From}
		default: // with its quotes
			w.raw[k][i] = records.Span{Off: v.From - 1, Len: v.To - v.From + 2}
		}
	}
}

func notJSON(reason string, at int64) string { return fmt.Sprintf("%s at byte %d", reason, at) }

// finishLine processes a long line that is complete.
func (w *worker) finishLine(l *longRecord) {
	if w.tooLong(l, true) {
		return
	}
	w.Batch.Begin(nil)
	line := w.Batch.Add(l.kept[0])
	if w.json != nil {
		w.json.Begin(w.Text)
	}
	bad := func(reason string) bool { return w.malformed(l.off, l.n, 1, reason) }
	if l.field > 0 && !bad("a zero byte in the line") { // what follows it was not kept
		return
	}
	if !w.locateLine(0, line.Off, line.Off+line.Len, bad, l.off-int64(line.Off)) {
		return
	}
	w.ends[0] = line.Off + line.Len
	w.bounds = bounds{begin: line.Off, ends: w.ends[:1]}
	w.answer(append(w.sel[:0], 0), func(uint16) int64 { return l.off })
}

// copyLines copies lines as they are written, without white space around them.
func (w *worker) copyLines(sel records.Selection) {
	f, s := &w.formatted, &w.bounds
	for _, i := range sel {
		f.text = append(append(f.text, bytes.Trim(s.record(w.Text, i), " \t\r")...), '\n')
	}
}

// eachNumber calls visit with the values of the number columns at the beginning of a table, but those of expressions.
func (r *Run) eachNumber(lines []byte, visit func(number int, value []byte)) {
	var numbers, columns []int
	for i, c := range r.query.Numbers {
		if !r.query.Derived.Has(c) {
			numbers, columns = append(numbers, i), append(columns, c)
		}
	}
	l := ndjson.New(r.query.First.Paths, columns)
	l.Begin(lines)
	for from := 0; from < len(lines); {
		to := len(lines)
		if n := bytes.IndexByte(lines[from:], '\n'); n >= 0 {
			to = from + n
		}
		if !ndjson.IsBlank(lines[from:to]) {
			l.Line(from, to)
			for i, v := range l.Values {
				if v.Kind == ndjson.Plain || v.Kind == ndjson.String {
					visit(numbers[i], lines[v.From:v.To])
				}
			}
		}
		from = to + 1
	}
}

// countAbsent reports the paths that no line had: most likely they are misspelled.
func (r *Run) countAbsent() {
	r.Report.Absent = nil
	if r.query == nil || r.query.First.Paths == nil {
		return
	}
	lines := 0
	var known []string
	for _, w := range r.all {
		lines += w.json.Lines()
		known = append(known, w.json.Known(expr.IsStep)...)
	}
	for slot, column := range r.query.InFile() {
		seen := func(w *worker) bool { return w.json.Seen(slot) }
		if name := r.query.First.Name(column); lines > 0 && slot != r.query.FileSlot && !slices.ContainsFunc(r.all, seen) {
			slices.Sort(known)
			like := spelling.Nearest(name, slices.Compact(known))
			r.Report.Absent = append(r.Report.Absent, answer.Absent{Column: name, Like: like})
		}
	}
}

// checkExpressions returns an error if no line had any of the paths of an expression that has several. That is hardly
// meant: http.user-agent is a difference, and the key is written http.`user-agent`.
func (r *Run) checkExpressions() error {
	absent := func(column int) bool {
		if r.query.Derived.Has(column) {
			return false
		}
		name := r.query.First.Name(column)
		return slices.ContainsFunc(r.Report.Absent, func(a answer.Absent) bool { return a.Column == name })
	}
	for _, d := range r.query.Derived.All {
		columns := slices.Compact(slices.Sorted(slices.Values(d.From())))
		if len(columns) < 2 || slices.ContainsFunc(columns, func(c int) bool { return !absent(c) }) {
			continue
		}
		var names []string
		for _, c := range columns {
			names = append(names, r.query.First.Name(c))
		}
		return &failure.SpecError{Err: fmt.Errorf("%s: no line has %s; a key that is not a plain word is written in "+
			"backquotes, like http.`user-agent`", d.Text, strings.Join(names, " or "))}
	}
	return nil
}
