package query

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/ndjson"
	"github.com/thresh-dev/thresh/internal/table/row"
	"github.com/thresh-dev/thresh/internal/table/split"
)

// First describes the beginning of a table.
type First struct {
	Fields int              // fields per record; 0 if there is no record
	Names  []string         // names of the columns; nil without a header
	Begin  int64            // bytes before the first record: a byte-order mark and the header
	Empty  int64            // empty lines before Begin
	Bad    *failure.Problem // what is wrong with the header; nil if nothing is

	Paths *ndjson.Paths // the columns of lines of JSON; nil for delimited text
	named *bool         // where to note that a column is named; nil but for Spec.HasHeader
	fold  bool          // names may differ in case
	// others are names of columns that only other inputs have. Their numbers come after those of the fields, and in SQL
	// that of fileColumn after them.
	Others []string
}

// FirstBytesMax limits the length of the first record.
const FirstBytesMax = 16 << 20

const byteOrderMark = "\xef\xbb\xbf"

// ReadFirst reads the beginning b of a table. ok is false if it needs more bytes than b. ended is
// true if b is the whole table.
func (d Dialect) ReadFirst(b []byte, ended bool) (f First, ok bool, err error) {
	if !ended && len(b) < len(byteOrderMark) {
		return f, false, nil
	}
	if bytes.HasPrefix(b, []byte(byteOrderMark)) {
		f.Begin = int64(len(byteOrderMark))
	}
	if d.JSON {
		if blank := ndjson.IsBlank(b[f.Begin:]); blank {
			f.Empty = int64(len(bytes.SplitAfter(b[f.Begin:], []byte{'\n'})))
			if n := len(b); n == int(f.Begin) || b[n-1] == '\n' {
				f.Empty-- // there is nothing behind the last line feed
			}
			return f, ended, nil
		}
		f.Fields, f.Paths = 1, new(ndjson.Paths)
		return f, true, nil
	}
	begin, ok := d.skipLines(b, int(f.Begin))
	if !ok && !ended {
		return f, false, nil
	}
	f.Begin = int64(begin)
	for {
		n, whole := d.RecordLen(b[begin:])
		if !whole && d.endsWithReturns(b[begin:], ended) {
			return f, false, errReturns
		}
		if !whole && !ended {
			return f, false, nil
		}
		record := TrimEnd(b[begin : begin+n])
		if empty, comment := d.IsNone(record); empty || comment {
			if begin += n; n > 0 && empty {
				f.Empty++
			}
			if whole {
				continue
			}
			return f, true, nil
		}
		d.EachField(record, func(_ int, text []byte) {
			name := key.CalledName(f.Fields)
			switch {
			case f.Fields < len(d.Names):
				name = d.Names[f.Fields]
			case d.Header:
				name = string(d.Quoting().Unquote(nil, text))
			}
			f.Fields++
			f.Names = append(f.Names, name)
		})
		if len(d.Names) > f.Fields {
			return f, false, fmt.Errorf("%d names are given, and the first record has %s", len(d.Names),
				numeral.Count(f.Fields, "field"))
		}
		if !d.Header && d.Names == nil {
			f.Names = nil
		}
		if d.Header {
			f.Bad = d.headerProblem(bytes.TrimSuffix(b[begin:begin+n], []byte("\n")), int64(begin))
			f.Begin = int64(begin + n)
		} else {
			f.Empty = 0 // the pass counts them itself
		}
		return f, true, nil
	}
}

var errReturns = errors.New("its lines end with carriage returns alone, as on old Macs, and no line feed " +
	"ends a record: make them line feeds, as with tr '\\r' '\\n'")

// returnsBytes is how much is looked at for the ends of lines.
const returnsBytes = 64 << 10

// endsWithReturns reports whether a text is a table whose lines end with carriage returns: at least three lines, of as
// many fields each, and no line feed.
func (d Dialect) endsWithReturns(b []byte, ended bool) bool {
	if !ended && len(b) < returnsBytes || bytes.IndexByte(b, '\n') >= 0 {
		return false
	}
	lines := bytes.Split(bytes.TrimSuffix(b, []byte{'\r'}), []byte{'\r'})
	if !ended {
		lines = lines[:len(lines)-1]
	}
	fields := 0
	for i, line := range lines {
		n := 0
		d.EachField(line, func(int, []byte) { n++ })
		if i > 0 && n != fields || len(line) == 0 {
			return false
		}
		fields = n
	}
	return len(lines) > 2
}

// skipLines returns where the lines after those that are left out begin, and whether that is known.
func (d Dialect) skipLines(b []byte, begin int) (after int, ok bool) {
	for range d.SkipLines {
		feed := bytes.IndexByte(b[begin:], '\n')
		if feed < 0 {
			return len(b), false
		}
		begin += feed + 1
	}
	return begin, true
}

// headerProblem returns what is wrong with the quotes of a header, or nil. The header begins at off.
func (d Dialect) headerProblem(record []byte, off int64) *failure.Problem {
	reason := ""
	if d.Splits() {
		if _, fault, at := d.Form().All(TrimEnd(record)); fault != split.None {
			return &failure.Problem{Off: off, Reason: Faulty(fault, off+int64(at))}
		}
		return nil
	}
	if at := d.Fields().FirstBad(record); at >= 0 {
		reason = Misplaced(off + int64(at))
	} else if opened := d.unclosedQuote(record); opened >= 0 {
		rest := record[opened:]
		reason = NotClosed(off+int64(opened), int64(bytes.Count(rest, []byte{'\n'}))+1, int64(len(rest)))
	} else {
		return nil
	}
	return &failure.Problem{Off: off, Reason: reason}
}

// RecordLen returns the length of the first record with its line feed, and whether it has a line
// feed.
func (d Dialect) RecordLen(b []byte) (n int, whole bool) {
	f, s := d.Fields(), fields.AtField
	for i, c := range b {
		if s, _ = f.Next(s, c); s == fields.AtField && c == '\n' {
			return i + 1, true
		}
	}
	return len(b), false
}

// unclosedQuote returns the index of the quote that opens an unclosed field of a record, or -1.
func (d Dialect) unclosedQuote(record []byte) int {
	f, s, opened := d.Fields(), fields.AtField, -1
	for i, c := range record {
		before := s
		if s, _ = f.Next(s, c); s == fields.InQuotes && before == fields.AtField {
			opened = i
		}
	}
	if s != fields.InQuotes {
		return -1
	}
	return opened
}

// TrimEnd removes the line feed of a record, and a CR before it.
func TrimEnd(record []byte) []byte {
	record = bytes.TrimSuffix(record, []byte("\n"))
	return bytes.TrimSuffix(record, []byte("\r"))
}

// resolve returns the function that resolves the columns that users write.
func (f First) resolve() key.Resolve {
	switch {
	case f.named != nil:
		return key.Asked(f.named)
	case f.Fields == 0: // the table is empty: accept any column
		return func(name string, quoted bool) (int, error) {
			if !quoted && key.IsExpression(name) {
				return 0, fmt.Errorf("column %q: the table is empty", name)
			}
			return 0, nil
		}
	case f.Paths != nil:
		return func(name string, quoted bool) (int, error) {
			if !quoted && key.IsExpression(name) {
				return 0, fmt.Errorf("column %q: put the name of a key into backquotes if it is not an expression", name)
			}
			return f.Paths.Resolve(name, quoted)
		}
	}
	resolve := key.Numbered(f.Fields)
	switch {
	case f.Names != nil && f.fold:
		resolve = key.Folded(f.AllNames())
	case f.Names != nil:
		resolve = key.Columns(f.AllNames())
	case f.fold:
		resolve = key.Called(f.Fields)
	}
	if !f.fold {
		return resolve
	}
	return func(name string, quoted bool) (int, error) {
		column, err := resolve(name, quoted)
		switch {
		case err == nil:
		case strings.EqualFold(name, fileColumn):
			return f.fileColumn(), nil
		case f.Names != nil: // answers give repeated names a number
			names := f.AllNames()
			for i, unique := range row.UniqueNames(f.AllNames()) {
				if unique != names[i] && strings.EqualFold(unique, name) {
					return i, nil
				}
			}
		}
		return column, err
	}
}

// AllNames returns the names of all columns, also of those that only other inputs have.
func (f First) AllNames() []string { return slices.Concat(f.Names, f.Others) }

// fileColumn is the name of the column that holds the name of the input, in SQL, unless an input has such a column.
const fileColumn = "filename"

// fileColumn returns its number.
func (f First) fileColumn() int { return f.Fields + len(f.Others) }

// Name returns the name of a column in answers.
func (f First) Name(column int) string {
	if f.Paths != nil {
		return f.Paths.Name(column)
	}
	switch names := f.AllNames(); {
	case column < len(names):
		return names[column]
	case f.fold && f.Fields > 0 && column == f.fileColumn(): // an empty input has one column
		return fileColumn
	case f.fold:
		return key.CalledName(column)
	}
	return fmt.Sprint(column + 1)
}

// slotOfFile returns the slot of the column that holds the name of the input, -1 if there is none.
func (q *Query) slotOfFile() int {
	column := q.First.fileColumn()
	if q.First.Paths != nil {
		isFile := func(c int) bool { return !q.Derived.Has(c) && q.First.Name(c) == fileColumn }
		column = slices.IndexFunc(q.Wanted, isFile)
		if column >= 0 {
			column = q.Wanted[column]
		}
	}
	if !q.SQL || q.First.Fields == 0 || !slices.Contains(q.Wanted, column) {
		return -1
	}
	return q.Slot(column)
}

// NotClosed describes a quoted field that extends to the end of the input: where it begins, and
// how long it is.
func NotClosed(opened, lines, bytes int64) string {
	return fmt.Sprintf("the quote at byte %d is never closed: its field takes the rest of the input, %s (%d bytes)",
		opened, numeral.Count(lines, "line"), bytes)
}

// Misplaced describes a quote that is out of place.
func Misplaced(at int64) string { return fmt.Sprintf("a quote is out of place at byte %d", at) }
