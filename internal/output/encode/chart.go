package encode

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/big"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/output/charts"
	"github.com/thresh-dev/thresh/options"
)

// chart writes answers as drawings. It holds the rows that a drawing may have, and counts the others.
type chart struct {
	output
	options options.Writer
	title   string
	columns []charts.Column
	types   []answer.Column
	more    int
	begun   int
}

func newChart(w io.Writer, o options.Writer) *chart { return &chart{output: newOutput(w), options: o} }

// Begin holds the names of the columns.
func (c *chart) Begin(title string, columns []answer.Column) error {
	c.title, c.types, c.columns, c.more = title, columnsOf(columns), nil, 0
	for _, column := range columns {
		c.columns = append(c.columns, charts.Column{
			Name: string(appendPrintable(nil, []byte(column.Name))), Typed: column.Type != answer.ColumnText})
	}
	return c.err
}

// Row holds a row.
func (c *chart) Row(values []answer.Cell) error {
	check(c.types, values)
	if len(c.columns[0].Cells) == charts.RowsMax {
		c.more++
		return c.err
	}
	for i := range values {
		v, column := &values[i], &c.types[i]
		cell := charts.Cell{Null: v.Null}
		switch {
		case v.Null && c.options.Null != nil:
			cell.Text = *c.options.Null
		case v.Null:
		case column.Type == answer.ColumnText:
			cell.Text = string(appendPrintable(nil, v.Text))
		default:
			cell.Text, cell.Number = string(column.AppendText(nil, v)), asFloat(column, v)
		}
		c.columns[i].Cells = append(c.columns[i].Cells, cell)
	}
	return c.err
}

// asFloat returns the number nearest to a value.
func asFloat(c *answer.Column, v *answer.Cell) float64 {
	switch {
	case c.Type == answer.ColumnFloat:
		return v.Float
	case c.Type == answer.ColumnInteger || c.Scale == 0 && v.Big == nil:
		return float64(v.Int)
	}
	n := v.Big
	if n == nil {
		n = big.NewInt(v.Int)
	}
	f, _ := new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(c.Scale)), nil)).Float64()
	return f
}

// End draws the answer.
func (c *chart) End(notes []string) error {
	c.begun++
	if c.options.Format == options.FormatHTML {
		if c.begun == 1 {
			c.buf = charts.AppendPage(c.buf, c.name())
		}
		c.buf = charts.AppendSection(c.buf, c.name(), c.columns, c.more, notes)
		if c.more > 0 {
			c.notes = append(c.notes, fmt.Sprintf("a page shows %d rows of an answer, and one has %d more",
				charts.RowsMax, c.more))
		}
		if c.begun == max(c.options.Answers, 1) {
			c.buf = charts.EndPage(c.buf)
		}
		return c.spill()
	}
	c.notes = append(c.notes, notes...)
	if len(c.types) == 1 && c.types[0].JSON && len(c.columns[0].Cells) == 1 {
		if h, ok := histogramOf([]byte(c.columns[0].Cells[0].Text)); ok {
			c.columns = h.columns(c.columns[0].Name)
		}
	}
	drawing, err := charts.Of(c.title, c.columns, c.more)
	if err != nil {
		return c.fail(err)
	}
	if c.options.Format == options.FormatSVG {
		svg := bytes.NewBuffer(c.buf)
		err := drawing.SVG(svg)
		c.buf = svg.Bytes()
		return cmp.Or(c.fail(err), c.spill())
	}
	if c.begun > 1 {
		c.buf = append(c.buf, '\n')
	}
	if c.options.Answers > 1 && c.title != "" {
		c.buf = append(appendPrintable(c.buf, []byte(c.title)), '\n')
	}
	c.buf = drawing.AppendText(c.buf, charts.Look{Width: c.options.Width, Height: c.options.Height,
		ASCII: c.options.ASCII, Color: c.options.Color, Hint: c.options.Hint})
	return c.spill()
}

// name returns the title of an answer, or the names of its columns.
func (c *chart) name() string {
	if c.title != "" {
		return string(appendPrintable(nil, []byte(c.title)))
	}
	var names []string
	for _, column := range c.columns {
		names = append(names, column.Name)
	}
	return strings.Join(names, ", ")
}
