package table

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/options"
)

// malformed reports a malformed record of the given size. It returns whether to keep the record.
func (w *worker) malformed(off, bytes, lines int64, reason string) (keep bool) {
	if lines > 1 {
		reason += fmt.Sprintf(", in a record of %d lines (%d bytes)", lines, bytes)
	}
	if w.only == nil {
		w.totals.malformed++
		w.malformedBytes += bytes
		w.malformedLines += lines
		w.mark(mark{off: off, column: notColumn, reason: reason})
	}
	if w.run.spec.Malformed == options.MalformedFail && w.only == nil {
		w.block.failed, w.block.failedAt = true, off
		w.yield(answer.Hit{Off: off, Len: 1})
	}
	return w.run.spec.Malformed == options.MalformedKeep
}

// processed counts bytes of the input that were processed: records, whether they were kept or not.
func (w *worker) processed(bytes int64) {
	if w.only == nil {
		w.bytes += bytes
	}
}

func (w *worker) emptyLine() {
	if w.only == nil {
		w.empty++
	}
}

// mark records a problem. Its line is found when the worker leaves the block.
func (w *worker) mark(m mark) {
	if m.off < w.block.off { // the record began in a block before; its lines were counted there
		m.line = -w.block.carry.linesBefore
	}
	w.block.marks = appendMark(w.block.marks, m)
}

// marked reports whether the block has a mark of a number column: then no other one is kept.
func (w *worker) marked(number int) bool {
	return slices.ContainsFunc(w.block.marks, func(m mark) bool { return m.column == number })
}

func (w *worker) wrongFields(record []byte) string {
	n := 0
	w.query.Dialect.Fields().Split(record, func(int, int, int) bool { n++; return true })
	return wrongNumber(n, w.pass.fields)
}

func wrongNumber(n, wanted int) string {
	return fmt.Sprintf("%s, but the first record has %d", numeral.Count(n, "field"), wanted)
}

// badNumberRunes is how much of a bad number is shown, in characters.
const badNumberRunes = 40

func badNumber(column string, field []byte) string {
	text := []rune(string(field[:min(len(field), badNumberRunes*utf8.UTFMax)]))
	shown := string(text)
	if len(text) > badNumberRunes {
		shown = string(text[:badNumberRunes]) + "…"
	}
	return fmt.Sprintf("column %s: %q %s", column, shown, decimal.Reason(field))
}
