package table

import (
	"fmt"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/decimal"
	"github.com/thresh-dev/thresh/internal/scan"
)

// malformed takes note of a record that is not as it should be, and returns whether it is to
// be kept.
func (w *worker) malformed(off int64, reason string) (keep bool) {
	if w.only == nil {
		w.counts.malformed++
		w.mark(mark{off: off, column: notColumn, reason: reason})
	}
	if w.spec.Malformed == Fail && w.only == nil {
		w.block.failed = true
		w.yield(scan.Hit{Off: off, Len: 1})
	}
	return w.spec.Malformed == Keep
}

// mark takes note of a problem; its line is found when the block is left.
func (w *worker) mark(m mark) {
	if m.off < w.block.off { // a record that began in a block before: its lines are known
		m.line = -w.block.carry.behind
	}
	w.block.marks = appendMark(w.block.marks, m)
}

func (w *worker) wrongFields(record []byte) string {
	n := 0
	w.Dialect.fields().Split(record, func(int, int, int) bool { n++; return true })
	return wrongNumber(n, w.first.Fields)
}

func wrongNumber(n, wanted int) string {
	return fmt.Sprintf("%s, where the first record has %d", fieldsText(n), wanted)
}

func fieldsText(n int) string {
	if n == 1 {
		return "1 field"
	}
	return fmt.Sprintf("%d fields", n)
}

const notClosed = "a quote is opened and not closed before the end of the input"

func misplaced(at int64) string { return fmt.Sprintf("a quote is out of place at byte %d", at) }

// badNumberRunes is how much of a text is shown that is no number.
const badNumberRunes = 40

func badNumber(column string, field []byte) string {
	text := []rune(string(field[:min(len(field), badNumberRunes*utf8.UTFMax)]))
	shown := string(text)
	if len(text) > badNumberRunes {
		shown = string(text[:badNumberRunes]) + "…"
	}
	return fmt.Sprintf("column %s: %q %s", column, shown, decimal.Reason(field))
}
