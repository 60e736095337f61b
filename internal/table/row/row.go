// Package row has what answers are made of: rows of cells, below columns with names and types.
package row

import (
	"math/big"

	"github.com/thresh-dev/thresh/internal/table/decimal"
)

// Type is the type of a column.
type Type uint8

// The types of columns. A Decimal is exact.
const (
	Text Type = iota
	Integer
	Decimal
	Float
)

// Column describes a column of an answer.
type Column struct {
	Name  string
	Type  Type
	Scale int // of Decimal: digits after the point
}

// Cell is a value. A Decimal is Int * 10^-Scale of its column, or Big * 10^-Scale if it does not
// fit in Int.
type Cell struct {
	Null  bool
	Text  []byte
	Int   int64
	Big   *big.Int
	Float float64
}

// Output receives answers, one after the other. The cells of a row are valid only during the call.
type Output interface {
	Begin(title string, columns []Column) error
	Row(cells []Cell) error
	End(notes []string) error
}

// AppendText appends the cell of a column as it is printed: nothing for null.
func (c Cell) AppendText(b []byte, column Column) []byte {
	switch {
	case c.Null:
		return b
	case column.Type == Text:
		return append(b, c.Text...)
	case column.Type == Float:
		return decimal.FromFloat(c.Float).AppendText(b, 0)
	case c.Big != nil:
		return decimal.FromBig(c.Big, column.Scale).AppendText(b, column.Scale)
	}
	return decimal.FromPlain(c.Int, column.Scale).AppendText(b, column.Scale)
}
