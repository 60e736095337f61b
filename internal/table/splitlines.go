package table

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/split"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// Some tables are split line by line, see package split. As with lines of JSON, the fields of a batch of lines are put
// where those of other delimited text would be.

// splits reports whether lines are split by a form of their own.
func (d Dialect) splits() bool {
	return d.Separator != "" || d.Blanks || d.Widths != nil || d.Comment != ""
}

// linewise reports whether each line is a record, whatever is in it.
func (d Dialect) linewise() bool { return d.JSON || d.splits() }

func (d Dialect) form() split.Form {
	f := split.Form{Separator: d.Separator, Blanks: d.Blanks, Widths: d.Widths, Quote: d.Quote, Comment: d.Comment}
	if f.Separator == "" && !f.Blanks && f.Widths == nil {
		f.Separator = string([]byte{d.Delim})
	}
	return f
}

// checkSplit returns what is wrong with a dialect whose lines are split.
func (d Dialect) checkSplit() error {
	ways := 0
	for _, given := range []bool{d.Delim != 0, d.Separator != "", d.Blanks, d.Widths != nil} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return errors.New("Dialect: Delim, Separator, Blanks and Widths are ways to tell fields apart; give one of them")
	case d.Widths != nil && d.Quote != 0:
		return errors.New("Dialect.Widths: fields of fixed widths have no quotes; Dialect.Quote must be none")
	case d.Widths != nil && !areWidths(d.Widths):
		return errors.New("Dialect.Widths: a field has at least one character; only the last may be the rest of the line")
	case strings.ContainsAny(d.Separator+d.Comment, "\r\n"):
		return errors.New("Dialect.Separator, Dialect.Comment: a line feed or CR ends records; choose another text")
	case d.Quote != 0 && strings.IndexByte(d.Separator, d.Quote) >= 0:
		return fmt.Errorf("Dialect.Separator: %q has a quote in it; Dialect.Quote must be none", d.Separator)
	case d.Comment != strings.TrimLeft(d.Comment, " \t"):
		return errors.New("Dialect.Comment: blanks before it do not matter; leave them out")
	case d.Quote != 0 && strings.HasPrefix(d.Comment, string(rune(d.Quote))):
		return errors.New("Dialect.Comment: a line that begins with a quote is a record; choose another text")
	}
	return nil
}

func areWidths(widths []int) bool {
	for i, n := range widths {
		if last := i+1 == len(widths); n < 0 || n == 0 && !last {
			return false
		}
	}
	return len(widths) > 0
}

// quoting returns how fields are quoted.
func (d Dialect) quoting() fields.Dialect {
	return fields.Dialect{Delim: d.Delim, Quote: d.Quote, Quoted: d.Quote != 0}
}

// isNone reports whether a line, or a record of several, without its end is empty or a comment, and so no record.
func (d Dialect) isNone(record []byte) (empty, comment bool) {
	if d.Blanks || d.Widths != nil {
		return len(bytes.TrimLeft(record, " \t")) == 0, d.skips(record)
	}
	return len(record) == 0, d.skips(record)
}

func (d Dialect) skips(line []byte) bool {
	return d.Comment != "" && (&split.Form{Comment: d.Comment}).Skips(line)
}

// eachField calls visit with the fields of a record, as they are written.
func (d Dialect) eachField(record []byte, visit func(field int, text []byte)) {
	if !d.splits() {
		d.quoting().Split(record, func(field, from, to int) bool {
			visit(field, record[from:to])
			return true
		})
		return
	}
	all, _, _ := d.form().All(record)
	for field, s := range all {
		visit(field, s.Of(record))
	}
}

// splitter returns a splitter for an input; nil if its lines are not split.
func (r *Run) splitter(p *pass) *split.Splitter {
	if !r.query.Dialect.splits() || p == nil {
		return nil
	}
	return r.query.Dialect.form().New(p.wanted)
}

// splitLine does the work of locateLine.
func (w *worker) splitLine(i uint16, from, to uint32, bad func(reason string) (keep bool), off int64) (ok bool) {
	line := trimEnd(w.Text[from:to])
	empty, comment := w.query.Dialect.isNone(line)
	if comment {
		return false
	}
	if empty && (w.pass.fields > 1 || len(line) > 0) {
		w.emptyLine()
		return false
	}
	n := w.split.Split(line)
	reason := faulty(w.split.Fault, off+int64(from)+int64(w.split.At))
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

// faulty describes a fault at an offset of the input; "" for none.
func faulty(f split.Fault, at int64) string {
	switch f {
	case split.Misplaced:
		return misplaced(at)
	case split.Unclosed:
		return fmt.Sprintf("the quote at byte %d is not closed in its line; records of several lines need a delimiter of "+
			"one byte, and no comments", at)
	case split.Longer:
		return fmt.Sprintf("more than the widths of all fields: it goes on at byte %d", at)
	}
	return ""
}
