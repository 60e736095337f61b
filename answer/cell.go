package answer

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// Cell is a value of an answer. Its methods convert it; a value that does not fit, as null or a text that is no number
// where a number is asked for, is a *failure.ValueError.
type Cell struct {
	Null  bool
	Text  []byte
	Int   int64
	Big   *big.Int
	Float float64
	Type  ColumnType // says which of the fields above holds the value
	Scale int        // of ColumnDecimal: digits after the point
}

// IsNull reports whether there is no value.
func (c Cell) IsNull() bool { return c.Null }

// String returns the value as Column.AppendText appends it.
func (c Cell) String() string {
	column := Column{Type: c.Type, Scale: c.Scale}
	return string(column.AppendText(nil, &c))
}

// AppendText appends a cell of the column as it is printed: nothing for null and nil, decimals in full, floats with as
// few digits as tell them apart, and with an exponent below 1e-6 and from 1e21 on.
func (c *Column) AppendText(b []byte, cell *Cell) []byte {
	switch {
	case cell == nil || cell.Null:
		return b
	case c.Type == ColumnText:
		return append(b, cell.Text...)
	case c.Type == ColumnInteger:
		return strconv.AppendInt(b, cell.Int, 10)
	case c.Type == ColumnFloat:
		return decimal.FromFloat(cell.Float).AppendText(b, 0)
	case cell.Big != nil:
		return decimal.FromBig(cell.Big, c.Scale).AppendText(b, c.Scale)
	}
	return decimal.FromPlain(cell.Int, c.Scale).AppendText(b, c.Scale)
}

func (c Cell) mantissa() *big.Int {
	if c.Big != nil {
		return c.Big
	}
	return big.NewInt(c.Int)
}

// Rat returns a number exactly, also that of a text; with an exponent it is the nearest float. It must be finite.
func (c Cell) Rat() (*big.Rat, error) {
	switch {
	case c.Null:
	case c.Type == ColumnInteger:
		return new(big.Rat).SetInt64(c.Int), nil
	case c.Type == ColumnDecimal:
		r := new(big.Rat).SetInt(c.mantissa())
		return r.Quo(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(c.Scale)), nil))), nil
	case c.Type == ColumnFloat:
		if r := new(big.Rat).SetFloat64(c.Float); r != nil {
			return r, nil
		}
	case c.Type == ColumnText:
		n, kind := decimal.Parse(c.Text)
		if kind == decimal.Plain {
			if r, ok := new(big.Rat).SetString(strings.TrimSpace(string(c.Text))); ok {
				return r, nil
			}
		}
		if r := new(big.Rat).SetFloat64(n.Float64()); kind == decimal.Irregular && r != nil {
			return r, nil // an exponent might be huge
		}
	}
	return nil, c.unfit("exact number")
}

// Int64 returns a whole number.
func (c Cell) Int64() (int64, error) {
	if !c.Null && c.Type == ColumnInteger {
		return c.Int, nil
	}
	r, err := c.Rat()
	if err != nil || !r.IsInt() || !r.Num().IsInt64() {
		return 0, c.unfit("int64")
	}
	return r.Num().Int64(), nil
}

// Float64 returns a number, rounded to the nearest float. One that is too large for a float does not fit.
func (c Cell) Float64() (float64, error) {
	if !c.Null && c.Type == ColumnFloat {
		return c.Float, nil
	}
	r, err := c.Rat()
	if err != nil {
		return 0, c.unfit("float64")
	}
	f, _ := r.Float64()
	if math.IsInf(f, 0) {
		return 0, c.unfit("float64")
	}
	return f, nil
}

// Time returns a text that is a date, or a date and a time of day, as ISO 8601 writes them. Without a zone it is UTC.
func (c Cell) Time() (time.Time, error) {
	if t, ok := value.ParseTime(c.Text); ok && !c.Null && c.Type == ColumnText {
		return t.Standard(), nil
	}
	return time.Time{}, c.unfit("time")
}

func (c Cell) unfit(to string) error {
	return &failure.ValueError{Value: c.String(), Null: c.Null, To: to}
}
