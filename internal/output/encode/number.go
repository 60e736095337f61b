package encode

import (
	"math"
	"slices"
	"strconv"
)

// appendNumber appends a number as text that any program reads as the same number. The column
// must not be of type Text.
func appendNumber(dst []byte, c *Column, v *Value) []byte {
	switch c.Type {
	case Integer:
		return strconv.AppendInt(dst, v.Int, 10)
	case Decimal:
		return appendDecimal(dst, c.Scale, v)
	case Float:
		return appendFloat(dst, v.Float)
	}
	panic("thresh: bug: a text is not a number")
}

// appendDecimal appends a decimal with scale digits after the point, also trailing zeros: 1203.50
// in a column of scale 2.
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
	// There is at least one digit before the point.
	for len(dst)-start <= scale {
		dst = slices.Insert(dst, start, '0')
	}
	point := len(dst) - scale
	dst = append(dst, 0)
	copy(dst[point+1:], dst[point:])
	dst[point] = '.'
	return dst
}

// appendFloat appends the fewest digits that read back as f. Like ECMAScript and encoding/json, it
// uses an exponent only below 1e-6 and from 1e21 on.
func appendFloat(dst []byte, f float64) []byte {
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}
