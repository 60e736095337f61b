package encode

import (
	"math"
	"slices"
	"strconv"
)

// appendNumber appends the text of a value of a column that is not text: digits that any
// program reads as the same number.
func appendNumber(dst []byte, c *Column, v *Value) []byte {
	switch c.Type {
	case Integer:
		return strconv.AppendInt(dst, v.Int, 10)
	case Decimal:
		return appendDecimal(dst, c.Scale, v)
	case Float:
		return appendFloat(dst, v.Float)
	}
	panic("thresh: bug: text is no number")
}

// appendDecimal appends all digits of a decimal: 1203.50 has two behind the point whatever
// they are, since that is what its column says.
func appendDecimal(dst []byte, scale int, v *Value) []byte {
	start := len(dst)
	if v.Big != nil {
		dst = v.Big.Append(dst, 10)
	} else {
		dst = strconv.AppendInt(dst, v.Int, 10)
	}
	if scale == 0 {
		return dst
	}
	if dst[start] == '-' {
		start++
	}
	// At least one digit stands before the point.
	for len(dst)-start <= scale {
		dst = slices.Insert(dst, start, '0')
	}
	point := len(dst) - scale
	dst = append(dst, 0)
	copy(dst[point+1:], dst[point:])
	dst[point] = '.'
	return dst
}

// appendFloat appends the fewest digits that read back as f, with an exponent only where
// zeros would outnumber them, as ECMAScript and encoding/json write numbers.
func appendFloat(dst []byte, f float64) []byte {
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}
