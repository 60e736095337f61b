package tabletest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Dialect describes the syntax of a table.
type Dialect struct {
	Delim  byte
	Quote  byte // 0: none; quotes then have no special meaning
	Header bool // the first line of each file names the columns and is not a record
	Nulls  []string
	Skip   int // lines at the beginning of each file that are left out
}

// line is the text of a record, or an empty line. It ends with a line feed outside of quoted
// fields.
type line struct {
	text      []byte // without the line feed, nor one carriage return before it or the end of the input
	raw       []byte // with them
	fields    [][]byte
	off       int
	number    int64 // from 1, of the lines in the file
	open      bool  // the input ends inside a quoted field of this line
	misplaced bool  // a quote, or text after a closing quote, is out of place
}

// lines splits a file into lines. The text after the last line feed is a line unless it is empty. A
// byte-order mark at the start is not part of the text.
func (d Dialect) lines(file []byte) (all []line) {
	begin := 0
	if bytes.HasPrefix(file, []byte("\xef\xbb\xbf")) {
		begin = 3
	}
	number := int64(1)
	for ; number <= int64(d.Skip) && begin < len(file); number++ {
		if n := bytes.IndexByte(file[begin:], '\n'); n >= 0 {
			begin += n + 1
		} else {
			begin = len(file)
		}
	}
	for begin < len(file) {
		l := d.line(file[begin:])
		l.off, l.number = begin, number
		all = append(all, l)
		begin += len(l.raw)
		number += int64(bytes.Count(l.raw, []byte("\n")))
	}
	return all
}

// line reads the first line of a text, field by field.
func (d Dialect) line(text []byte) (l line) {
	at := 0
	for {
		size, open, misplaced := d.field(text[at:])
		l.open, l.misplaced = open, l.misplaced || misplaced
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

// field returns the length of the first field of a text; whether the text ends inside its quotes;
// and whether it has a misplaced quote, or anything after its closing quote other than a
// delimiter or the end of the line.
//
// A field is quoted if its first byte is a quote. The quoted part ends at the next quote that is
// not doubled. After that part, or from the start if there is none, the field extends to the
// next delimiter or line feed, whatever quotes there are.
func (d Dialect) field(text []byte) (size int, open, misplaced bool) {
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
		misplaced = misplaced || d.isQuote(text[size])
		size++
	}
	rest := text[begin:size]
	if size == len(text) || text[size] == '\n' {
		rest = bytes.TrimSuffix(rest, []byte("\r"))
	}
	return size, false, misplaced || quoted && len(rest) > 0
}

func (d Dialect) isQuote(b byte) bool { return d.Quote != 0 && b == d.Quote }

// Value returns the value of a field. For a quoted field, it removes the opening and the closing
// quote, and replaces doubled quotes between them by single ones; text after the closing quote
// stays unchanged. The value of any other field is its text.
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

// wrong returns what is wrong with a line of a table with that many columns, or "".
func (d Dialect) wrong(l line, columns int) string {
	switch {
	case l.misplaced:
		return OutOfPlace
	case l.open:
		return Unclosed
	case len(l.fields) != columns:
		return fmt.Sprintf(NotFields, len(l.fields), columns)
	}
	return ""
}

// values returns the values of the fields. A field that is empty and not in quotes is null.
func (d Dialect) values(l line) (values []string) {
	for _, raw := range l.fields {
		if len(raw) == 0 || slices.Contains(d.Nulls, string(raw)) {
			values = append(values, Null)
		} else {
			values = append(values, d.Value(raw))
		}
	}
	return values
}

// Columns returns the number of columns of the table in these files: the number of fields of the
// first line that is not empty, whether it is a header, a record, or malformed. It returns 0 if
// there is no such line.
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

// read returns the records of a table in order, and counts all other lines.
//
// An empty line is a record with one field that is null in a table of one column; in other tables, it
// counts as empty. It is never a record before a header, or in a file that has only empty lines.
// The header of a file is its first line that is not empty. A malformed header is an error in
// mode Fail. In the other modes, it still names the columns, and it is not counted. The columns of the table are those
// of the first header, by their names; one that another header lacks is null in that file.
func (q Question) read(files [][]byte, result *Result) (records [][]string, err error) {
	columns := q.Columns(files)
	for _, c := range q.columns() {
		if columns > 0 && c > columns {
			return nil, fmt.Errorf("column %d: the first record has %d fields", c, columns)
		}
	}
	var header []string
	matched := 0
	for i, file := range files {
		named, blank := !q.Header, q.Columns(files[i:i+1]) == 0
		fields, places := columns, []int(nil)
		if q.Header {
			fields = q.Columns(files[i : i+1])
		}
		for _, l := range q.lines(file) {
			if len(l.text) == 0 && (fields != 1 || !named || blank) {
				result.Empty++
				continue
			}
			reason, isHeader := q.wrong(l, fields), !named
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
			if isHeader {
				names := Dialect{Quote: q.Quote}.values(l)
				if header == nil {
					header = names
				}
				if places = placesOf(header, names); !slices.ContainsFunc(places, func(p int) bool { return p >= 0 }) {
					return nil, fmt.Errorf("file %d: it has none of the columns of the table", i)
				}
				continue
			}
			values := q.values(l)
			for len(values) < fields { // in mode Keep
				values = append(values, Null)
			}
			record := make([]string, columns)
			for c := range record {
				switch {
				case places == nil:
					record[c] = values[c]
				case places[c] < 0:
					record[c] = Null
				default:
					record[c] = values[places[c]]
				}
			}
			records = append(records, record)
			if q.Where == nil || q.Where.Fits(record) {
				if matched++; matched == q.limit() {
					return records, nil
				}
			}
		}
	}
	return records, nil
}

// placesOf returns where the columns of the table are in a file: the n-th one of a name is the n-th of that name there;
// -1 if there is none.
func placesOf(header, names []string) (places []int) {
	text := func(name string) string {
		if name == Null {
			return ""
		}
		return name
	}
	taken := make([]bool, len(names))
	for _, column := range header {
		place := -1
		for i, name := range names {
			if place < 0 && !taken[i] && text(name) == text(column) {
				place, taken[i] = i, true
			}
		}
		places = append(places, place)
	}
	return places
}
