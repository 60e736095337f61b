package table

import (
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/options"
)

// longRecord parses a record of any length, part by part, and keeps only the fields that the
// questions use. It works byte by byte, because such records are rare.
type longRecord struct {
	dialect     fields.Dialect
	off         int64 // of its first byte
	n           int64 // bytes so far
	lines       int64 // line feeds in them
	linesBefore int64 // those of lines that are in blocks before the current one
	wanted      []int // fields to keep, ascending
	kept        [][]byte
	keepsAll    bool   // the record may be one of Rejects
	all         []byte // of the record, as it is written
	slot        int    // index of the current field in wanted; -1 if it is not kept
	fieldMax    int    // maximum size of a kept field in bytes

	field        int
	state        fields.State
	opened       int64 // offset of the last quote that opened a field
	linesToQuote int64 // line feeds before that
	bad          int64 // offset of the first byte that is out of place, -1 for none
	ended        bool
	tooLarge     int // a kept field that is too long, or allFields; -1 for none
	skip         int // bytes to skip before the record
	first        byte
	last         byte
}

// longShare: one field may take 1/longShare of the memory limit. It may always take
// longBytesLeast, like a field of a usual record.
const (
	longShare      = 8
	longBytesLeast = 64 << 10
)

func (w *worker) newLong(off int64) *longRecord {
	l := &longRecord{dialect: w.query.Dialect.Fields(), off: off, bad: -1, tooLarge: -1,
		wanted: w.pass.wanted, kept: make([][]byte, len(w.query.InFile())),
		fieldMax: int(min(max(w.run.options.MemBytes/longShare, longBytesLeast), 1<<30)),
		keepsAll: w.run.options.Rejects != nil && !w.query.Dialect.Linewise()}
	if w.query.Dialect.Linewise() {
		l.wanted, l.kept = []int{0}, make([][]byte, 1) // the line
	}
	l.findSlot()
	return l
}

// findSlot finds the slot of the current field.
func (l *longRecord) findSlot() { l.slot = slices.Index(l.wanted, l.field) }

// allFields is the number of a field that stands for all of the record.
const allFields = noField

// feed parses the next part. It returns how many bytes of the part belong to the record, and
// whether the record has ended with a line feed.
func (l *longRecord) feed(part []byte) (used int, ended bool) {
	skipped := min(l.skip, len(part))
	l.skip -= skipped
	part = part[skipped:]
	for i, c := range part {
		before, bad := l.state, false
		if l.state, bad = l.dialect.Next(before, c); bad && l.bad < 0 {
			l.bad = l.off + l.n
		}
		if before == fields.AtField && l.state == fields.InQuotes {
			l.opened, l.linesToQuote = l.off+l.n, l.lines
		}
		if l.n == 0 {
			l.first = c
		}
		l.last = c
		l.n++
		if l.keepsAll && len(l.all) < l.fieldMax {
			l.all = append(l.all, c)
		} else if l.keepsAll {
			l.tooLarge = allFields
		}
		if c == '\n' {
			l.lines++
		}
		switch {
		case l.state == fields.AtField && c == '\n':
			l.ended = true
			return skipped + i + 1, true
		case l.state == fields.AtField:
			l.field++
			l.findSlot()
		case l.slot >= 0 && len(l.kept[l.slot]) < l.fieldMax:
			l.kept[l.slot] = append(l.kept[l.slot], c)
		case l.slot >= 0:
			l.tooLarge = l.field
		}
	}
	return skipped + len(part), false
}

// blank reports whether the record is an empty line.
func (l *longRecord) blank() bool {
	n := l.n
	if l.ended {
		n--
	}
	return n == 0 || n == 1 && l.first == '\r'
}

// tooLong ends the run with an error if a field is too long to keep, and reports whether it did.
// With Skip, it waits for the end of the record (ends is true): a malformed record is skipped
// whatever the length of its fields.
func (w *worker) tooLong(l *longRecord, ends bool) bool {
	if l.tooLarge < 0 || !ends && w.run.spec.Malformed == options.MalformedSkip {
		return false
	}
	what := fmt.Sprintf("field %d", l.tooLarge+1)
	if l.tooLarge == allFields {
		what = "it may have to be kept, and"
	}
	w.fail(fmt.Errorf("%s: the record at byte %d: %s is longer than %d bytes, the part of Run.MemoryBytes "+
		"that one field may use%s; raise Run.MemoryBytes", w.pass.file.Name, l.off, what, l.fieldMax, l.hint()))
	return true
}

// hint names the quote that opened the field: it may be a mistake in the input.
func (l *longRecord) hint() string {
	if l.state != fields.InQuotes {
		return ""
	}
	return fmt.Sprintf(", from the quote at byte %d on", l.opened)
}

// lineCount returns how many lines the record has. The last one may have no line feed.
func (l *longRecord) lineCount() int64 {
	if l.last == '\n' {
		return l.lines
	}
	return l.lines + 1
}

// wrong returns what is wrong with a complete record, or "".
func (l *longRecord) wrong(fieldsWanted int) string {
	switch {
	case l.bad >= 0:
		return query.Misplaced(l.bad)
	case l.state == fields.InQuotes:
		return query.NotClosed(l.opened, l.lineCount()-l.linesToQuote, l.off+l.n-l.opened)
	case l.field+1 != fieldsWanted:
		return wrongNumber(l.field+1, fieldsWanted)
	}
	return ""
}

// finishLong processes a long record that is complete.
func (w *worker) finishLong(l *longRecord) {
	if l.ended && l != w.block.carry && l.off+l.n <= w.block.end && w.only == nil {
		w.block.feeds++
	}
	w.processed(l.n)
	if w.query.Dialect.Linewise() {
		w.finishLine(l)
		return
	}
	if l.blank() && w.pass.fields > 1 {
		w.emptyLine()
		return
	}
	reason := l.wrong(w.pass.fields)
	if reason != "" && !w.malformed(l.off, l.n, l.lineCount(), reason) {
		return
	}
	if w.tooLong(l, true) {
		return
	}
	w.Batch.Begin(nil)
	for k, kept := range l.kept {
		if n := len(kept); n > 0 && l.wanted[k] == l.field && kept[n-1] == '\r' {
			kept = kept[:n-1]
		}
		w.Columns[k][0] = w.Batch.Add(kept)
		w.Batch.Add([]byte{w.query.Dialect.Delim}) // an empty field is not followed by the quote of another one
	}
	w.bounds = bounds{long: l.all}
	w.answer(append(w.sel[:0], 0), func(uint16) int64 { return l.off })
}
