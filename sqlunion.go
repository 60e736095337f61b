package thresh

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/sql"
)

// runUnion answers the statements of a union, one after the other, as one answer.
func runUnion(ctx context.Context, s *sql.Statement, o SQLOptions, out answer.Writer) (
	r answer.TableReport, err error) {
	u := &union{to: out}
	defer func() { err = errors.Join(err, u.close()) }()
	if !printsRecords(s) {
		if err = u.keep(); err != nil {
			return r, err
		}
	}
	r.Complete = true
	for _, one := range s.Union {
		var part answer.TableReport
		part, err = runSQL(ctx, one, o, u)
		r = and(r, part)
		if err != nil {
			return r, err
		}
	}
	return r, u.finish()
}

// printsRecords reports whether any statement of a union prints records. Then all columns are texts, as theirs are.
func printsRecords(s *sql.Statement) bool {
	if s.Union != nil {
		return slices.ContainsFunc(s.Union, printsRecords)
	}
	q, err := s.Compile()
	return err == nil && q.Question.Kind == query.Select
}

// and returns the report of two statements of a union.
func and(r, next answer.TableReport) answer.TableReport {
	if r.Receipt.Seconds == 0 {
		r.Receipt = next.Receipt
	} else if next.Receipt.Seconds > 0 { // of one that shares a pass there is none
		r.Receipt.Add(next.Receipt)
	}
	r.Records += next.Records
	r.Empty += next.Empty
	r.Malformed += next.Malformed
	r.MalformedLines += next.MalformedLines
	r.MalformedBytes += next.MalformedBytes
	r.Bytes += next.Bytes
	r.TruncatedBytes += next.TruncatedBytes
	r.Problems = append(r.Problems, next.Problems...)
	r.NonNumeric = append(r.NonNumeric, next.NonNumeric...)
	r.Compared = append(r.Compared, next.Compared...)
	r.Absent = append(r.Absent, next.Absent...)
	r.Missing = append(r.Missing, next.Missing...)
	r.Unread = append(r.Unread, next.Unread...)
	r.Complete = r.Complete && next.Complete
	return r
}

// union is the answers of several statements as one. Texts are passed on. Of other columns the type is known when all
// statements have been answered, so rows are kept in a file until then.
type union struct {
	to      answer.Writer
	columns []answer.Column // types that hold the values of all statements; nil before the first
	of      int             // statements that have begun
	notes   []string
	cells   []answer.Cell

	file *os.File // nil if rows are passed on
	kept *bufio.Writer
	rows int64
	text []byte
}

// Begin begins the answer of the next statement. The names are those of the first.
func (u *union) Begin(_ string, columns []answer.Column) error {
	u.of++
	if u.columns == nil {
		u.columns = slices.Clone(columns)
		if u.file != nil {
			return nil
		}
		for i := range u.columns {
			u.columns[i] = answer.Column{Name: u.columns[i].Name} // what follows may be any texts
		}
		return u.to.Begin("", u.columns)
	}
	if len(columns) != len(u.columns) {
		return &failure.SpecError{Err: fmt.Errorf("statement %d of the union has another number of columns than the first: "+
			"%d, and not %d", u.of, len(columns), len(u.columns))}
	}
	for i, c := range columns {
		hold(&u.columns[i], c)
	}
	return nil
}

// hold makes the type of a column one that holds the values of another one, too.
func hold(c *answer.Column, other answer.Column) {
	values := (c.JSON || c.Type != answer.ColumnText) && (other.JSON || other.Type != answer.ColumnText)
	switch {
	case c.Type == other.Type:
	case c.Type == answer.ColumnText || other.Type == answer.ColumnText:
		c.Type = answer.ColumnText
	case c.Type == answer.ColumnFloat || other.Type == answer.ColumnFloat:
		c.Type = answer.ColumnFloat
	default:
		c.Type = answer.ColumnDecimal
	}
	c.JSON = values && c.Type == answer.ColumnText
	if c.Scale = max(c.Scale, other.Scale); c.Type != answer.ColumnDecimal {
		c.Scale = 0
	}
}

// Row passes a row on, or keeps it: of each cell the length of its text, from 1, or 0 for null, and the text.
func (u *union) Row(cells []answer.Cell) error {
	if u.file == nil {
		u.cells = u.cells[:0]
		for _, c := range cells {
			if c.Type != answer.ColumnText && !c.Null {
				c = answer.Cell{Text: []byte(c.String())}
			}
			u.cells = append(u.cells, answer.Cell{Null: c.Null, Text: c.Text})
		}
		return u.to.Row(u.cells)
	}
	u.rows++
	for _, c := range cells {
		u.text = u.text[:0]
		if text := c.String(); !c.Null {
			u.text = append(binary.AppendUvarint(u.text, uint64(len(text))+1), text...)
		} else {
			u.text = append(u.text, 0)
		}
		if _, err := u.kept.Write(u.text); err != nil {
			return err
		}
	}
	return nil
}

// End ends the answer of a statement.
func (u *union) End(notes []string) error {
	u.notes = append(u.notes, notes...)
	return nil
}

func (u *union) keep() (err error) {
	if u.file, err = os.CreateTemp("", "thresh-*"); err != nil {
		return fmt.Errorf("the rows of a union need a temporary file: %w", err)
	}
	u.kept = bufio.NewWriter(u.file)
	return nil
}

func (u *union) close() error {
	if u.file == nil {
		return nil
	}
	return errors.Join(u.file.Close(), os.Remove(u.file.Name()))
}

// finish ends the answer of all.
func (u *union) finish() error {
	if u.file != nil {
		if err := u.replay(); err != nil {
			return err
		}
	}
	return u.to.End(u.notes)
}

// replay passes on the rows that were kept.
func (u *union) replay() error {
	err := u.kept.Flush()
	if err == nil {
		_, err = u.file.Seek(0, io.SeekStart)
	}
	if err == nil {
		err = u.to.Begin("", u.columns)
	}
	from := bufio.NewReader(u.file)
	for ; u.rows > 0 && err == nil; u.rows-- {
		u.cells = u.cells[:0]
		for i := range u.columns {
			var c answer.Cell
			if c, err = readCell(&u.columns[i], from); err != nil {
				return fmt.Errorf("read the rows of a union: %w", err)
			}
			u.cells = append(u.cells, c)
		}
		err = u.to.Row(u.cells)
	}
	return err
}

// readCell reads a cell as Row wrote it.
func readCell(c *answer.Column, from *bufio.Reader) (cell answer.Cell, err error) {
	cell = answer.Cell{Type: c.Type, Scale: c.Scale}
	length, err := binary.ReadUvarint(from)
	if cell.Null = length == 0; cell.Null || err != nil {
		return cell, err
	}
	text := make([]byte, length-1)
	if _, err = io.ReadFull(from, text); err != nil {
		return cell, err
	}
	switch c.Type {
	case answer.ColumnText:
		cell.Text = text
	case answer.ColumnInteger:
		cell.Int, err = strconv.ParseInt(string(text), 10, 64)
	case answer.ColumnFloat:
		cell.Float, err = strconv.ParseFloat(string(text), 64)
	default:
		whole, decimals, _ := strings.Cut(string(text), ".")
		m, ok := new(big.Int).SetString(whole+decimals+strings.Repeat("0", c.Scale-len(decimals)), 10)
		if !ok {
			return cell, fmt.Errorf("%q is not a decimal", text)
		}
		if cell.Int = m.Int64(); !m.IsInt64() {
			cell.Big = m
		}
	}
	return cell, err
}
