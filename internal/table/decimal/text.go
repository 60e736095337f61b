package decimal

import (
	"bytes"
	"math"
	"strconv"
)

// Text returns the number as text. An exact decimal has at least the given number of digits
// after the point, and more only if they are not zeros; so the text does not show how the
// number was computed. A float64 has the fewest digits that read back as the same value, with
// an exponent if its magnitude is below 1e-6 or at least 1e21.
func (a Number) Text(decimals int) string {
	var room [48]byte
	return string(a.AppendText(room[:0], decimals))
}

// AppendText appends the result of Text.
func (a Number) AppendText(b []byte, decimals int) []byte {
	if a.float {
		return appendFloat(b, a.asFloat())
	}
	begin := len(b)
	switch {
	case a.large != nil:
		b = a.large.Append(b, 10)
	case max(int(a.scale), decimals) <= smallDigits:
		return appendSmall(b, a.mantissa, int(a.scale), decimals)
	default:
		b = strconv.AppendInt(b, a.mantissa, 10)
	}
	if b[begin] == '-' {
		begin++
	}
	scale := int(a.scale)
	for ; scale > decimals && len(b)-begin > 1 && b[len(b)-1] == '0'; scale-- {
		b = b[:len(b)-1]
	}
	if len(b)-begin == 1 && b[begin] == '0' {
		scale = min(scale, decimals)
	}
	b = append(b, bytes.Repeat([]byte{'0'}, max(decimals-scale, 0))...)
	scale = max(scale, decimals)
	if scale == 0 {
		return b
	}
	if missing := scale + 1 - (len(b) - begin); missing > 0 {
		digits := len(b) - begin
		b = append(b, bytes.Repeat([]byte{'0'}, missing)...)
		copy(b[begin+missing:], b[begin:begin+digits])
		for i := range missing {
			b[begin+i] = '0'
		}
	}
	b = append(b, 0)
	point := len(b) - 1 - scale
	copy(b[point+1:], b[point:])
	b[point] = '.'
	return b
}

// appendSmall appends the text of a decimal with at most smallDigits digits after the point, from its end.
func appendSmall(b []byte, mantissa int64, scale, decimals int) []byte {
	var room [48]byte
	at, m := len(room), magnitude(mantissa)
	for ; scale > decimals && m%10 == 0; scale-- {
		m /= 10
	}
	point := at - max(scale, decimals)
	for range decimals - scale {
		at--
		room[at] = '0'
	}
	for m > 0 || at >= point {
		if at == point && at < len(room) {
			at--
			room[at] = '.'
		}
		at--
		room[at] = '0' + byte(m%10)
		m /= 10
	}
	if mantissa < 0 {
		at--
		room[at] = '-'
	}
	return append(b, room[at:]...)
}

func appendFloat(b []byte, f float64) []byte {
	format := byte('f')
	if m := math.Abs(f); m != 0 && (m < 1e-6 || m >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, f, format, -1, 64)
}
