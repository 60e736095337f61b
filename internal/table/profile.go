package table

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
)

// profileAnswer describes every column. Smallest and greatest numbers, and how many different texts there are, are
// aggregates of one group; the rest is gathered beside it.
type profileAnswer struct {
	numbers *groupAnswer // min, max and distinct of each column
	columns int
}

// profiled is what a worker knows of a column.
type profiled struct {
	empty, filled int64
	widest        int
	min, max      []byte // of the texts that are not empty
	shapes        shape
}

// shape is a set of ways in which texts are written.
type shape uint8

const (
	isDate shape = 1 << iota
	isTime
	isBoolean
	anyShape = isDate | isTime | isBoolean
)

func (q *query) newProfile() (*profileAnswer, error) {
	switch {
	case len(q.Questions) > 1:
		return nil, errors.New("--columns must be the only question")
	case q.first.paths != nil:
		return nil, errors.New("--columns: lines of JSON may have any keys, so there is no list of columns")
	}
	var list []string
	for c := 1; c <= q.first.Fields; c++ {
		list = append(list, fmt.Sprintf("min(%d),max(%[1]d),distinct(%[1]d)", c))
	}
	a := &profileAnswer{columns: q.first.Fields}
	if a.columns == 0 { // an empty table
		return a, nil
	}
	var err error
	a.numbers, err = q.newGroup(&Question{Kind: Group, Aggregates: strings.Join(list, ",")})
	if err == nil {
		q.groups = append(q.groups, a.numbers)
	}
	return a, err
}

// profile adds the records of a batch to what is known of the columns.
func (w *worker) profile(sel records.Selection) {
	for c := range w.profiled {
		p, column := &w.profiled[c], w.columns[c]
		for _, i := range sel {
			field := column[i].Of(w.text)
			if len(field) == 0 {
				p.empty++
				continue
			}
			p.widest = max(p.widest, len(field))
			if p.filled++; p.filled == 1 {
				p.min, p.max = append(p.min[:0], field...), append(p.max[:0], field...)
				p.shapes = anyShape
			} else if bytes.Compare(field, p.min) < 0 {
				p.min = append(p.min[:0], field...)
			} else if bytes.Compare(field, p.max) > 0 {
				p.max = append(p.max[:0], field...)
			}
			if p.shapes != 0 {
				p.shapes &= shapesOf(field)
			}
		}
	}
}

// merge adds what another worker knows of the same column.
func (p *profiled) merge(o *profiled) {
	p.empty += o.empty
	if o.filled == 0 {
		return
	}
	p.widest = max(p.widest, o.widest)
	if p.filled == 0 {
		p.min, p.max, p.shapes = o.min, o.max, anyShape
	}
	if p.filled += o.filled; bytes.Compare(o.min, p.min) < 0 {
		p.min = o.min
	}
	if bytes.Compare(o.max, p.max) > 0 {
		p.max = o.max
	}
	p.shapes &= o.shapes
}

// shapesOf returns the ways in which a text is written.
func shapesOf(text []byte) shape {
	switch {
	case bytes.EqualFold(text, []byte("true")) || bytes.EqualFold(text, []byte("false")):
		return isBoolean
	case len(text) < len("2006-01-02") || !matches(text[:10], "dddd-dd-dd") || !isDay(text[:10]):
		return 0
	case len(text) == 10:
		return isDate
	case isClock(text[10:]):
		return isTime
	}
	return 0
}

// matches reports whether text is written like a pattern, in which d is a digit.
func matches(text []byte, pattern string) bool {
	if len(text) != len(pattern) {
		return false
	}
	for i, c := range text {
		if pattern[i] == 'd' && c-'0' > 9 || pattern[i] != 'd' && c != pattern[i] {
			return false
		}
	}
	return true
}

func isDay(text []byte) bool {
	number := func(from, to int) (n int) {
		for _, c := range text[from:to] {
			n = 10*n + int(c-'0')
		}
		return n
	}
	year, month, day := number(0, 4), number(5, 7), number(8, 10)
	if month < 1 || month > 12 || day < 1 {
		return false
	}
	days := [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
	if month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		days++
	}
	return day <= days
}

// isClock reports whether text is what follows the date of a time: T or a space, hours and minutes, perhaps seconds
// and parts of a second, and perhaps Z or an offset.
func isClock(text []byte) bool {
	if text[0] != 'T' && text[0] != ' ' || len(text) < 6 || !matches(text[1:6], "dd:dd") ||
		string(text[1:3]) > "23" || text[4] > '5' {
		return false
	}
	if text = text[6:]; len(text) >= 3 && matches(text[:3], ":dd") {
		if string(text[1:3]) > "60" { // a leap second
			return false
		}
		if text = text[3:]; len(text) > 1 && text[0] == '.' {
			if rest := bytes.TrimLeft(text[1:], "0123456789"); len(rest) < len(text)-1 {
				text = rest
			}
		}
	}
	switch {
	case len(text) == 0 || string(text) == "Z":
		return true
	case text[0] == '+' || text[0] == '-':
		return matches(text[1:], "dd:dd") || matches(text[1:], "dddd") || matches(text[1:], "dd")
	}
	return false
}

// oneRow is an Output that keeps the one row of an answer.
type oneRow struct {
	columns []Column
	cells   []Cell
}

func (o *oneRow) Begin(_ string, columns []Column) error { o.columns = columns; return nil }
func (o *oneRow) Row(cells []Cell) error                 { o.cells = slices.Clone(cells); return nil }
func (o *oneRow) End([]string) error                     { return nil }

// text returns a number as text.
func (o *oneRow) text(i int) []byte {
	column, cell := o.columns[i], o.cells[i]
	switch {
	case column.Type == Float:
		return []byte(decimal.FromFloat(cell.Float).Text(0))
	case cell.Big == nil && column.Scale == 0:
		return strconv.AppendInt(nil, cell.Int, 10)
	case cell.Big == nil:
		cell.Big = big.NewInt(cell.Int)
	}
	tens := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(column.Scale)), nil)
	return []byte(new(big.Rat).SetFrac(cell.Big, tens).FloatString(column.Scale))
}

// write writes a row for each column.
func (a *profileAnswer) write(ctx context.Context, r *Run, out Output) error {
	err := out.Begin("columns", []Column{{Name: "column"}, {Name: "type"}, {Name: "empty", Type: Integer},
		{Name: "distinct", Type: Integer}, {Name: "min"}, {Name: "max"}, {Name: "widest", Type: Integer}})
	if err != nil {
		return err
	}
	if a.columns == 0 {
		return out.End(nil)
	}
	var one oneRow
	if err := a.numbers.write(ctx, r, &one); err != nil {
		return err
	}
	for c := range a.columns {
		if err := out.Row(a.row(r, c, &one)); err != nil {
			return err
		}
	}
	return out.End(nil)
}

func (a *profileAnswer) row(r *Run, c int, one *oneRow) []Cell {
	var p profiled
	bad := int64(0)
	for _, w := range r.all {
		p.merge(&w.profiled[c])
		bad += w.bad[slices.Index(r.numbers, c)]
	}
	least, greatest := Cell{Text: p.min}, Cell{Text: p.max}
	kind := "text"
	switch {
	case p.filled == 0:
		kind, least.Null, greatest.Null = "empty", true, true
	case bad == 0 && !one.cells[3*c].Null:
		kind = [...]string{Integer: "integer", Decimal: "decimal", Float: "float"}[one.columns[3*c].Type]
		if kind == "decimal" && one.columns[3*c].Scale == 0 { // integers of more than 64 bits
			kind = "integer"
		}
		least, greatest = Cell{Text: one.text(3 * c)}, Cell{Text: one.text(3*c + 1)}
	case p.shapes&isDate != 0:
		kind = "date"
	case p.shapes&isTime != 0:
		kind = "timestamp"
	case p.shapes&isBoolean != 0:
		kind = "boolean"
	}
	return []Cell{{Text: []byte(r.first.name(c))}, {Text: []byte(kind)}, {Int: p.empty}, {Int: one.cells[3*c+2].Int},
		least, greatest, {Int: int64(p.widest)}}
}
