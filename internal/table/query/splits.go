package query

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/table/notation"
	"github.com/thresh-dev/thresh/internal/table/split"
)

// Some tables are split line by line, see package split. Each line is a record then.

// Splits reports whether lines are split by a form of their own.
func (d Dialect) Splits() bool {
	return d.Separator != "" || d.Blanks || d.Widths != nil || d.Comment != ""
}

// Linewise reports whether each line is a record, whatever is in it.
func (d Dialect) Linewise() bool { return d.JSON || d.Splits() }

// Form returns how lines are split.
func (d Dialect) Form() split.Form {
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

// Quoting returns how fields are quoted.
func (d Dialect) Quoting() fields.Dialect {
	return fields.Dialect{Delim: d.Delim, Quote: d.Quote, Quoted: d.Quote != 0}
}

// IsNone reports whether a line, or a record of several, without its end is empty or a comment, and so no record.
func (d Dialect) IsNone(record []byte) (empty, comment bool) {
	if d.Blanks || d.Widths != nil {
		return len(bytes.TrimLeft(record, " \t")) == 0, d.skips(record)
	}
	return len(record) == 0, d.skips(record)
}

func (d Dialect) skips(line []byte) bool {
	return d.Comment != "" && (&split.Form{Comment: d.Comment}).Skips(line)
}

// EachField calls visit with the fields of a record, as they are written.
func (d Dialect) EachField(record []byte, visit func(field int, text []byte)) {
	if !d.Splits() {
		d.Quoting().Split(record, func(field, from, to int) bool {
			visit(field, record[from:to])
			return true
		})
		return
	}
	all, _, _ := d.Form().All(record)
	for field, s := range all {
		visit(field, s.Of(record))
	}
}

// Faulty describes a fault at an offset of the input; "" for none.
func Faulty(f split.Fault, at int64) string {
	switch f {
	case split.Misplaced:
		return Misplaced(at)
	case split.Unclosed:
		return fmt.Sprintf("the quote at byte %d is not closed in its line; records of several lines need a delimiter of "+
			"one byte, and no comments", at)
	case split.Longer:
		return fmt.Sprintf("more than the widths of all fields: it goes on at byte %d", at)
	}
	return ""
}

// checkNumbers returns what is wrong with the notation of numbers.
func (d Dialect) checkNumbers() error {
	if d.Numbers != "" && notation.Named(d.Numbers) == nil {
		var known []string
		for _, n := range notation.All {
			known = append(known, n.Name+" ("+n.Example+")")
		}
		return fmt.Errorf("Dialect.Numbers: %q is unknown; known are %s", d.Numbers, strings.Join(known, ", "))
	}
	return nil
}
