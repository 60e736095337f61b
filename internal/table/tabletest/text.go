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

// line is a record's text, or an empty line: what ends with a line feed outside of quoted
// fields.
type line struct {
	text   []byte // without the line feed, nor one carriage return before it or the end of the input
	raw    []byte // with them
	fields [][]byte
	off    int
	number int64 // from 1, of the line feeds in the file
	open   bool  // the input ends in it, inside a quoted field
	odd    bool  // a quote is out of place, or what follows one
}

// lines cuts a file into its lines. What stands behind the last line feed is a line unless
// it is nothing. A byte-order mark at the very start is no part of the text.
func (d Dialect) lines(file []byte) (all []line) {
	begin := 0
	if bytes.HasPrefix(file, []byte("\xef\xbb\xbf")) {
		begin = 3
	}
	for begin < len(file) {
		l := d.line(file[begin:])
		l.off, l.number = begin, 1+int64(bytes.Count(file[:begin], []byte("\n")))
		all = append(all, l)
		begin += len(l.raw)
	}
	return all
}

// line reads the line that a text begins with, field by field.
func (d Dialect) line(text []byte) (l line) {
	at := 0
	for {
		size, open, odd := d.field(text[at:])
		l.open, l.odd = open, l.odd || odd
		field := text[at : at+size]
		if at += size; at < len(text) && text[at] == d.Delim {
			l.fields = append(l.fields, field)
			at++
			continue
		}
		l.raw = text[:min(at+1, len(text))]
		l.text = bytes.TrimSuffix(text[:at], []byte("\r"))
		l.fields = append(l.fields, bytes.TrimSuffix(field, []byte("\r")))
		return l
	}
}

// field returns how long the field is that a text begins with; whether the text ends inside
// of its quotes; and whether it has a quote out of place, or something behind a closing quote
// that is neither a delimiter nor the line's end.
//
// A field is quoted if its first byte is a quote. It then goes on to the next quote that is
// not one of two; from there, and from the beginning of all others, to the next delimiter or
// line feed, whatever quotes there are.
func (d Dialect) field(text []byte) (size int, open, odd bool) {
	quoted := len(text) > 0 && d.isQuote(text[0])
	if quoted {
		for size = 1; ; size++ {
			if size == len(text) {
				return size, true, false
			}
			if d.isQuote(text[size]) {
				if size++; size == len(text) || !d.isQuote(text[size]) {
					break
				}
			}
		}
	}
	begin := size
	for size < len(text) && text[size] != d.Delim && text[size] != '\n' {
		odd = odd || d.isQuote(text[size])
		size++
	}
	behind := text[begin:size]
	if size == len(text) || text[size] == '\n' {
		behind = bytes.TrimSuffix(behind, []byte("\r"))
	}
	return size, false, odd || quoted && len(behind) > 0
}

func (d Dialect) isQuote(b byte) bool { return d.Quote != 0 && b == d.Quote }

// Value returns what a field says. One that begins with a quote loses it and the closing one,
// and of two quotes in between one; what stands behind the closing one stays as it is. All
// other fields are what they are.
func (d Dialect) Value(raw []byte) string {
	if len(raw) == 0 || !d.isQuote(raw[0]) {
		return string(raw)
	}
	var value strings.Builder
	for i := 1; i < len(raw); i++ {
		if d.isQuote(raw[i]) {
			if i++; i == len(raw) || !d.isQuote(raw[i]) {
				value.Write(raw[i:])
				break
			}
		}
		value.WriteByte(raw[i])
	}
	return value.String()
}

// wrong returns what is wrong with a line of a table of so many columns, if anything is.
func (d Dialect) wrong(l line, columns int) string {
	switch {
	case l.odd:
		return OutOfPlace
	case l.open:
		return Unclosed
	case len(l.fields) != columns:
		return fmt.Sprintf(NotFields, len(l.fields), columns)
	}
	return ""
}

func (d Dialect) values(l line) (values []string) {
	for _, raw := range l.fields {
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
				return len(l.fields)
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
				result.SkippedBytes += int64(len(l.raw))
				result.SkippedLines += int64(len(bytes.Split(bytes.TrimSuffix(l.raw, []byte("\n")), []byte("\n"))))
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
