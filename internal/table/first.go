package table

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// First is what the beginning of a table says about it.
type First struct {
	Fields int      // that a record has; 0 where there is no record
	Names  []string // of the columns, nil without a header
	Begin  int64    // bytes before the first record: a byte-order mark, and the header
	Empty  int64    // empty lines before Begin
	Bad    *Problem // of the header; nil where it is as it should be
}

// FirstBytesMax is how long the first record may be.
const FirstBytesMax = 16 << 20

const byteOrderMark = "\xef\xbb\xbf"

// ReadFirst looks at the beginning of a table. Ok is false when more of it is needed than b;
// ended tells that there is no more.
func (d Dialect) ReadFirst(b []byte, ended bool) (f First, ok bool, err error) {
	if !ended && len(b) < len(byteOrderMark) {
		return f, false, nil
	}
	if bytes.HasPrefix(b, []byte(byteOrderMark)) {
		f.Begin = int64(len(byteOrderMark))
	}
	begin := int(f.Begin)
	for {
		n, whole := d.recordLen(b[begin:])
		if !whole && !ended {
			return f, false, nil
		}
		record := trimEnd(b[begin : begin+n])
		if len(record) == 0 {
			if begin += n; n > 0 {
				f.Empty++
			}
			if whole {
				continue
			}
			return f, true, nil
		}
		d.fields().Split(record, func(_, from, to int) bool {
			f.Fields++
			if d.Header {
				f.Names = append(f.Names, string(d.fields().Unquote(nil, record[from:to])))
			}
			return true
		})
		if d.Header {
			f.Bad = d.headerProblem(bytes.TrimSuffix(b[begin:begin+n], []byte("\n")), int64(begin))
			f.Begin = int64(begin + n)
		} else {
			f.Empty = 0 // the pass meets them
		}
		return f, true, nil
	}
}

// headerProblem returns what is wrong with the quotes of a header, with its line feed, at an offset.
func (d Dialect) headerProblem(record []byte, off int64) *Problem {
	reason := ""
	if at := d.fields().FirstBad(record); at >= 0 {
		reason = misplaced(off + int64(at))
	} else if opened := d.unclosedQuote(record); opened >= 0 {
		rest := record[opened:]
		reason = notClosed(off+int64(opened), int64(bytes.Count(rest, []byte{'\n'}))+1, int64(len(rest)))
	} else {
		return nil
	}
	return &Problem{Off: off, Reason: reason}
}

// recordLen returns the length of the first record, with its line feed, and whether it has
// one.
func (d Dialect) recordLen(b []byte) (n int, whole bool) {
	f, s := d.fields(), fields.AtField
	for i, c := range b {
		if s, _ = f.Next(s, c); s == fields.AtField && c == '\n' {
			return i + 1, true
		}
	}
	return len(b), false
}

// unclosedQuote returns where the quote is that opens a field which a record does not close, or -1.
func (d Dialect) unclosedQuote(record []byte) int {
	f, s, opened := d.fields(), fields.AtField, -1
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

// trimEnd takes the line feed, and a CR before it, off a record.
func trimEnd(record []byte) []byte {
	record = bytes.TrimSuffix(record, []byte("\n"))
	return bytes.TrimSuffix(record, []byte("\r"))
}

// resolve returns what finds a column by what a user wrote.
func (f First) resolve() key.Resolve {
	switch {
	case f.Fields == 0: // whatever they are, they hold nothing
		return func(string, bool) (int, error) { return 0, nil }
	case f.Names != nil:
		return key.Columns(f.Names)
	}
	return key.Numbered(f.Fields)
}

// name returns how a column is called in answers.
func (f First) name(column int) string {
	if column < len(f.Names) {
		return f.Names[column]
	}
	return fmt.Sprint(column + 1)
}

// checkSame finds out whether the header of another input goes with this one's.
func (f First) checkSame(other First) error {
	if len(f.Names) != len(other.Names) {
		return fmt.Errorf("has %d columns, where the table has %d", other.Fields, f.Fields)
	}
	for i, name := range f.Names {
		if other.Names[i] != name {
			return fmt.Errorf("calls column %d %q, where the table has %q (columns: %s)",
				i+1, other.Names[i], name, strings.Join(f.Names, ", "))
		}
	}
	return nil
}
