package thresh

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
	Scale int        // of DecimalColumn: digits after the point
}

// IsNull reports whether there is no value.
func (c Cell) IsNull() bool { return c.Null }

// String returns the value as it is printed: decimals in full, floats with as few digits as tell them apart, null as
// an empty text.
func (c Cell) String() string {
	switch {
	case c.Null:
		return ""
	case c.Type == IntegerColumn:
		return strconv.FormatInt(c.Int, 10)
	case c.Type == DecimalColumn:
		return pointed(c.mantissa().String(), c.Scale)
	case c.Type == FloatColumn:
		return strconv.FormatFloat(c.Float, 'g', -1, 64)
	}
	return string(c.Text)
}

// pointed returns digits with a point before the last scale ones.
func pointed(digits string, scale int) string {
	if scale <= 0 {
		return digits
	}
	digits, negative := strings.CutPrefix(digits, "-")
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - scale
	if digits = digits[:point] + "." + digits[point:]; negative {
		return "-" + digits
	}
	return digits
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
	case c.Type == IntegerColumn:
		return new(big.Rat).SetInt64(c.Int), nil
	case c.Type == DecimalColumn:
		r := new(big.Rat).SetInt(c.mantissa())
		return r.Quo(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(c.Scale)), nil))), nil
	case c.Type == FloatColumn:
		if r := new(big.Rat).SetFloat64(c.Float); r != nil {
			return r, nil
		}
	case c.Type == TextColumn:
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
	if !c.Null && c.Type == IntegerColumn {
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
	if !c.Null && c.Type == FloatColumn {
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
	if t, ok := value.ParseTime(c.Text); ok && !c.Null && c.Type == TextColumn {
		return t.Standard(), nil
	}
	return time.Time{}, c.unfit("time")
}

func (c Cell) unfit(to string) error {
	return &failure.ValueError{Value: c.String(), Null: c.Null, To: to}
}
