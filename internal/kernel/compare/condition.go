package compare

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/question"
)

// ranges returns the ranks of the values that satisfy a condition.
//
// A bound is the set of ranks equal to it: one rank, except for the float 0, which has two.
func (t Type) ranges(c question.Condition) (ranges, error) {
	least, most := t.bounds()
	if c.Op == question.IsNaN || c.Op == question.IsInf {
		if !t.Float() {
			return nil, fmt.Errorf("values of type %v are never %v: only floats are", t, c.Op)
		}
		if c.Op == question.IsInf && !t.HasInf() {
			return nil, fmt.Errorf("values of type %v are never inf: its largest is %s", t, t.Format(t.Largest()))
		}
		if c.Op == question.IsNaN {
			return interval(least, most).complement(t.maxRank()), nil
		}
		return ranges{{least, least}, {most, most}}, nil
	}
	if c.Op > question.IsInf {
		return nil, fmt.Errorf("unknown comparison %v", c.Op)
	}
	value, err := t.parse(c.Value)
	if err != nil {
		return nil, err
	}
	if c.Op == question.Between {
		high, err := t.parse(c.High)
		if err != nil {
			return nil, err
		}
		if value.low > high.high {
			return nil, fmt.Errorf("between %s and %s holds nothing: the lower bound comes first",
				c.Value, c.High)
		}
		return interval(value.low, high.high), nil
	}
	switch c.Op {
	case question.Equal:
		return interval(value.low, value.high), nil
	case question.NotEqual:
		return interval(value.low, value.high).complement(t.maxRank()), nil
	case question.LessOrEqual:
		return interval(least, value.high), nil
	case question.GreaterOrEqual:
		return interval(value.low, most), nil
	case question.Less:
		if value.low == least {
			return nil, nil
		}
		return interval(least, value.low-1), nil
	default: // Greater
		if value.high == most {
			return nil, nil
		}
		return interval(value.high+1, most), nil
	}
}

// bounds returns the ranks of the lowest and the highest value that has an order, which means any
// value but NaN.
func (t Type) bounds() (least, most uint64) {
	if !t.Float() {
		return 0, t.maxRank()
	}
	return t.rank(t.highest() | t.signBit()), t.rank(t.highest())
}

// bound is a parsed value: the lowest and the highest rank equal to it.
type bound struct{ low, high uint64 }

func (t Type) parse(text string) (bound, error) {
	if t.Float() {
		return t.parseFloat(text)
	}
	return t.parseInteger(text)
}

// parseInteger parses an integer. A leading zero has no meaning: 010 is ten.
func (t Type) parseInteger(text string) (bound, error) {
	digits, negative := strings.CutPrefix(text, "-")
	if !negative {
		digits = strings.TrimPrefix(digits, "+")
	}
	base := 10
	if prefix := strings.ToLower(digits[:min(2, len(digits))]); prefix == "0x" {
		digits, base = digits[2:], 16
	} else if prefix == "0b" {
		digits, base = digits[2:], 2
	}
	magnitude, err := strconv.ParseUint(digits, base, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return bound{}, fmt.Errorf("value %q is not a whole number (decimal, 0x hex or 0b binary)",
			text)
	}
	largest := t.maxRank()
	if t.Signed() {
		largest >>= 1
		if negative {
			largest++
		}
	} else if negative {
		largest = 0
	}
	if err != nil || magnitude > largest {
		return bound{}, t.outOfRange(text)
	}
	if negative {
		magnitude = -magnitude & t.maxRank()
	}
	rank := t.rank(magnitude)
	return bound{low: rank, high: rank}, nil
}

func (t Type) parseFloat(text string) (bound, error) {
	value, err := t.ParseFloat(text)
	switch {
	case err != nil:
		return bound{}, err
	case math.IsNaN(value):
		return bound{}, errNaN
	case value == 0:
		return bound{low: t.rank(t.signBit()), high: t.rank(0)}, nil
	}
	rank := t.rank(t.bits(value))
	return bound{low: rank, high: rank}, nil
}

// ParseFloat returns the value of a float type nearest to a number written by a user: decimal, 0x
// hex, 0b binary, inf or nan. It fails if the result is infinite or 0 and the number is not.
func (t Type) ParseFloat(text string) (float64, error) {
	number := text
	digits, negative := strings.CutPrefix(strings.ToLower(text), "-")
	if !negative {
		digits = strings.TrimPrefix(digits, "+")
	}
	if strings.HasPrefix(digits, "0x") && !strings.Contains(digits, "p") {
		number += "p0" // strconv wants an exponent in hexadecimal
	}
	precision := 64
	if t.width == 4 {
		precision = 32
	}
	value, err := strconv.ParseFloat(number, precision)
	if err == nil && t.Narrow() {
		value = t.parseNarrow(number, value)
	}
	if binary, ok := strings.CutPrefix(digits, "0b"); ok { // strconv cannot parse these
		var magnitude uint64
		magnitude, err = strconv.ParseUint(binary, 2, 64)
		value = float64(magnitude)
		if t.width == 4 {
			value = float64(float32(magnitude)) // one rounding, not two
		} else if t.Narrow() {
			value = t.parseNarrow(strconv.FormatUint(magnitude, 10), value)
		}
		if negative {
			value = -value
		}
	}
	switch {
	case errors.Is(err, strconv.ErrRange),
		t.Narrow() && math.IsInf(value, 0) && !(t.HasInf() && infinite(digits)):
		return 0, t.outOfRange(text)
	case err != nil || strings.Contains(text, "_"):
		return 0, fmt.Errorf("value %q is not a number (decimal, 0x hex, 0b binary, or inf)", text)
	case value == 0 && !isZero(digits):
		return 0, fmt.Errorf("value %s does not fit %v: the nearest are 0 and %s", text, t, t.smallest())
	}
	return value, nil
}

// errNaN is the error for an ordinary comparison with NaN: no value satisfies it, or every value
// does.
var errNaN = errors.New("nothing equals NaN, or is less or greater; ask for NaN itself (question.IsNaN)")

// isZero reports whether a number that was parsed as 0 really is 0, and not merely close to it.
func isZero(digits string) bool {
	significant := "123456789"
	if rest, hex := strings.CutPrefix(digits, "0x"); hex {
		digits, significant = rest, significant+"abcdef"
		digits, _, _ = strings.Cut(digits, "p")
	} else {
		digits, _, _ = strings.Cut(strings.TrimPrefix(digits, "0b"), "e")
	}
	return !strings.ContainsAny(digits, significant)
}

// smallest returns the smallest float above 0.
func (t Type) smallest() string {
	smallest := t.Value(1)
	if t.Narrow() {
		return t.Format(smallest)
	}
	return strconv.FormatFloat(smallest, 'g', -1, 8*t.width)
}

// outOfRange is the error for a number outside the range of the type.
func (t Type) outOfRange(text string) error {
	var low, high string
	switch {
	case t.Narrow():
		high = t.Format(t.Largest())
		low = "-" + high
	case t.Float():
		high = strconv.FormatFloat(t.Largest(), 'g', -1, 8*t.width)
		low = "-" + high
	case t.Signed():
		high = strconv.FormatUint(t.maxRank()>>1, 10)
		low = "-" + strconv.FormatUint(t.signBit(), 10)
	default:
		low, high = "0", strconv.FormatUint(t.maxRank(), 10)
	}
	return fmt.Errorf("value %s does not fit %v (%s to %s)", text, t, low, high)
}
