package tabletest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Dialect is how a table is written.
type Dialect struct {
	Delim  byte
	Quote  byte // 0: none; quotes are bytes as others are
	Header bool // the first record of each file names the columns and is no record
}

// line is what lies between two line feeds outside quotes.
type line struct {
	text   []byte // without the line feed, nor one carriage return before it or the end of the input
	off    int
	number int64 // from 1, of the line feeds in the file
	open   bool  // the input ends in it, inside quotes
}

// lines cuts a file into its lines. What stands behind the last line feed is a line unless
// it is nothing. A byte-order mark at the very start is no part of the text.
func (d Dialect) lines(file []byte) (all []line) {
	begin := 0
	if bytes.HasPrefix(file, []byte("\xef\xbb\xbf")) {
		begin = 3
	}
	number, feeds := int64(1), int64(0)
	inside := false
	end := func(at int) {
		text := bytes.TrimSuffix(file[begin:at], []byte("\r"))
		all = append(all, line{text: text, off: begin, number: number, open: inside})
	}
	for i := begin; i < len(file); i++ {
		if d.isQuote(file[i]) {
			inside = !inside
		}
		if file[i] != '\n' {
			continue
		}
		feeds++
		if !inside {
			end(i)
			begin, number = i+1, 1+feeds
		}
	}
	if begin < len(file) {
		end(len(file))
	}
	return all
}

func (d Dialect) isQuote(b byte) bool { return d.Quote != 0 && b == d.Quote }

// fields cuts a line at the delimiters outside quotes. An empty line is one empty field.
func (d Dialect) fields(text []byte) (raw [][]byte) {
	begin, inside := 0, false
	for i, b := range text {
		if d.isQuote(b) {
			inside = !inside
		}
		if b == d.Delim && !inside {
			raw = append(raw, text[begin:i])
			begin = i + 1
		}
	}
	return append(raw, text[begin:])
}

// Value returns what a field says. One that begins with a quote loses it; of the other
// quotes in it two in a row are one, and one alone is none: for a well-formed field this
// takes off the closing quote. All other fields are what they are.
func (d Dialect) Value(raw []byte) string {
	if len(raw) == 0 || !d.isQuote(raw[0]) {
		return string(raw)
	}
	var value strings.Builder
	for i := 1; i < len(raw); i++ {
		if !d.isQuote(raw[i]) {
			value.WriteByte(raw[i])
		} else if i+1 < len(raw) && d.isQuote(raw[i+1]) {
			value.WriteByte(d.Quote)
			i++
		}
	}
	return value.String()
}

// outOfPlace reports whether a field has an opening quote that is neither its first byte
// nor directly behind a closing one, or a byte that is no quote behind a closing one.
func (d Dialect) outOfPlace(raw []byte) bool {
	inside, closed := false, false
	for i, b := range raw {
		switch {
		case !d.isQuote(b):
			if closed {
				return true
			}
		case inside:
			inside, closed = false, true
		default:
			if i > 0 && !closed {
				return true
			}
			inside, closed = true, false
		}
	}
	return false
}

// wrong returns what is wrong with a line of a table of so many columns, if anything is.
func (d Dialect) wrong(l line, columns int) string {
	raw := d.fields(l.text)
	switch {
	case slices.ContainsFunc(raw, d.outOfPlace):
		return OutOfPlace
	case l.open:
		return Unclosed
	case len(raw) != columns:
		return fmt.Sprintf(NotFields, len(raw), columns)
	}
	return ""
}

func (d Dialect) values(l line) (values []string) {
	for _, raw := range d.fields(l.text) {
		values = append(values, d.Value(raw))
	}
	return values
}

// Columns returns how many columns the table in these files has: as many as the first line
// that is not empty has fields, be it a header, a record, or malformed; 0 if there is none.
func (d Dialect) Columns(files [][]byte) int {
	for _, file := range files {
		for _, l := range d.lines(file) {
			if len(l.text) > 0 {
				return len(d.fields(l.text))
			}
		}
	}
	return 0
}

// read returns the records of a table in order, and counts what is none.
//
// A line without a byte is a record, with one empty field, in a table of one column, and
// counted as empty in every other; before a header, and in a file with nothing but empty
// lines, it is never a record. The header of a
// file is its first line that is not empty. A malformed header is an error in mode Fail,
// and names in the others; it counts for nothing.
func (q Question) read(files [][]byte, result *Result) (records [][]string, err error) {
	columns := q.Columns(files)
	for _, c := range q.columns() {
		if columns > 0 && c > columns {
			return nil, fmt.Errorf("column %d: the first record has %d fields", c, columns)
		}
	}
	var header []string
	for i, file := range files {
		named, blank := !q.Header, q.Columns(files[i:i+1]) == 0
		for _, l := range q.lines(file) {
			if len(l.text) == 0 && (columns != 1 || !named || blank) {
				result.Empty++
				continue
			}
			reason, isHeader := q.wrong(l, columns), !named
			named = true
			if reason != "" && (q.Malformed == Fail || q.Malformed == Skip && !isHeader) {
				m := &Malformed{File: i, Line: l.number, Offset: int64(l.off), Reason: reason}
				if result.First == nil {
					result.First = m
				}
				if q.Malformed == Fail {
					return nil, m
				}
				result.Skipped++
				continue
			}
			values := q.values(l)
			if isHeader {
				if header != nil && !slices.Equal(header, values) {
					return nil, fmt.Errorf("file %d: its header is not that of the file before", i)
				}
				header = values
				continue
			}
			for len(values) < columns { // in mode Keep
				values = append(values, "")
			}
			records = append(records, values[:columns])
		}
	}
	return records, nil
}
