// Package order sorts rows by keys, within a bound of memory, by several workers.
//
// A key is bytes that compare as the row does: the values that it is ordered by, one after the other, and at the
// end its place in the input. So no two keys are equal, and the order of the rows does not depend on who sorted
// them, nor when.
package order

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// Direction is how the values of one column are ordered. Whatever the direction, numbers come first, then times, then
// texts; only the values of a kind are turned round.
type Direction struct {
	Descending bool
	NullsFirst bool // null comes last otherwise, in both directions
}

// The encoding of a value begins with a byte that tells its kind. No encoding is the beginning of another one. All
// bytes after the first are inverted where values descend.
//
//   - A number: the number of digits before its point; its digits without zeros at either end, two in a byte; an end
//     byte that is less than any digits. Of a negative number all of it is inverted.
//   - A time: the moment, then its text.
//   - A text: its bytes as a part of a key, see value.AppendPart.
const (
	firstNull  = 0x10
	minusInf   = 0x20
	negative   = 0x21
	zero       = 0x22
	positive   = 0x23
	plusInf    = 0x24
	timeOrDate = 0x30
	text       = 0x40
	lastNull   = 0x50
)

const (
	digitsEnd   = 0
	digitsLeast = 1    // the byte of the digits 00
	pointMiddle = 0x80 // the byte of no digit before the point, and no zero right after it
	pointMost   = 100  // so many digits before the point, or zeros after it, are told by one byte
	pointsAbove = 0xff // more are told by the next four
	pointsBelow = 0
)

// AppendNull appends null.
func (d Direction) AppendNull(b []byte) []byte {
	if d.NullsFirst {
		return append(b, firstNull)
	}
	return append(b, lastNull)
}

// Append appends a value by what its text is: a number, a time, or neither. nil is null.
func (d Direction) Append(b, field []byte) []byte {
	if field == nil {
		return d.AppendNull(b)
	}
	if n, kind := decimal.Parse(field); kind == decimal.Plain || kind == decimal.Irregular {
		return d.AppendNumber(b, n)
	}
	return d.AppendWords(b, field)
}

// AppendWords appends a value that is not a number.
func (d Direction) AppendWords(b, field []byte) []byte {
	if t, ok := value.ParseTime(field); ok {
		return d.AppendTime(b, t, field)
	}
	return d.AppendText(b, field)
}

// AppendText appends a text, whatever it looks like.
func (d Direction) AppendText(b, field []byte) []byte {
	b = append(b, text)
	return d.turn(appendPart(b, field), len(b))
}

// appendPart is value.AppendPart, quick where there is no zero byte.
func appendPart(b, field []byte) []byte {
	if bytes.IndexByte(field, 0) >= 0 {
		return value.AppendPart(b, field)
	}
	return value.AppendPart(append(b, field...), nil)
}

// AppendTime appends a time whose text is given.
func (d Direction) AppendTime(b []byte, t value.Time, field []byte) []byte {
	b = append(b, timeOrDate)
	return d.turn(appendPart(t.AppendOrdered(b), field), len(b))
}

// turn inverts what was appended if values descend.
func (d Direction) turn(b []byte, from int) []byte {
	if d.Descending {
		invert(b[from:])
	}
	return b
}

func invert(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}

// AppendPlain appends the number mantissa * 10^-scale.
func (d Direction) AppendPlain(b []byte, mantissa int64, scale int) []byte {
	magnitude := uint64(mantissa)
	if mantissa < 0 {
		magnitude = -magnitude
	}
	var room [20]byte
	digits := strconv.AppendUint(room[:0], magnitude, 10)
	return d.appendDigits(b, mantissa < 0, digits, len(digits)-scale)
}

// AppendNumber appends a number. Equal numbers are equal, also an exact decimal and a float.
func (d Direction) AppendNumber(b []byte, n decimal.Number) []byte {
	switch {
	case n.IsNaN():
		return d.AppendNull(b)
	case n.IsInfinite() && n.Float64() > 0:
		return append(b, d.lead(plusInf))
	case n.IsInfinite():
		return append(b, d.lead(minusInf))
	case n.IsFloat():
		f := n.Float64()
		var room [64]byte
		digits := strconv.AppendFloat(room[:0], math.Abs(f), 'e', exactDigits(f), 64)
		at := bytes.IndexByte(digits, 'e')
		exponent, _ := strconv.Atoi(string(digits[at+1:]))
		digits = append(digits[:1], digits[len("1."):at]...)
		return d.appendDigits(b, f < 0, digits, 1+exponent)
	}
	if m, exact, ok := n.Mantissa(n.Decimals()); exact && ok {
		return d.AppendPlain(b, m, n.Decimals())
	}
	digits := n.AppendText(nil, n.Decimals())
	minus := digits[0] == '-'
	if minus {
		digits = digits[1:]
	}
	before := len(digits)
	if point := bytes.IndexByte(digits, '.'); point >= 0 {
		before, digits = point, append(digits[:point], digits[point+1:]...)
	}
	return d.appendDigits(b, minus, digits, before)
}

// exactDigits returns a number of digits that has all of a finite float64 after the first. It is a whole number times
// 2^-n for the least such n, and so has at most n digits after the point.
func exactDigits(f float64) int {
	mantissa, exponent := math.Frexp(f)
	least := bits.TrailingZeros64(uint64(math.Abs(mantissa)*(1<<53)) | 1<<53)
	before := max(exponent, 0)*3/10 + 1 // a power of two has 0.301 digits
	return before + max(53-least-exponent, 0)
}

// lead returns the first byte of a number.
func (d Direction) lead(sign byte) byte {
	if d.Descending {
		return minusInf + plusInf - sign
	}
	return sign
}

// appendDigits appends the number with these digits, of which so many are before the point.
func (d Direction) appendDigits(b []byte, minus bool, digits []byte, before int) []byte {
	for len(digits) > 0 && digits[0] == '0' {
		digits, before = digits[1:], before-1
	}
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	if len(digits) == 0 {
		return append(b, d.lead(zero))
	}
	sign := byte(positive)
	if minus {
		sign = negative
	}
	b = append(b, d.lead(sign))
	from := len(b)
	switch {
	case before > pointMost:
		b = binary.BigEndian.AppendUint32(append(b, pointsAbove), uint32(before))
	case before < -pointMost:
		b = binary.BigEndian.AppendUint32(append(b, pointsBelow), uint32(before))
	default:
		b = append(b, byte(pointMiddle+before))
	}
	for ; len(digits) > 1; digits = digits[2:] {
		b = append(b, (digits[0]-'0')*10+digits[1]-'0'+digitsLeast)
	}
	if len(digits) > 0 {
		b = append(b, (digits[0]-'0')*10+digitsLeast)
	}
	if b = append(b, digitsEnd); minus != d.Descending {
		invert(b[from:])
	}
	return b
}

// AppendPlace ends a key with the place of the row: the number of its input, and where it is there.
func AppendPlace(b []byte, input, off int64) []byte { return appendCount(appendCount(b, input), off) }

// CutPlace cuts what begins with a place after it.
func CutPlace(b []byte) (place, rest []byte) {
	n := 1 + int(b[0])
	n += 1 + int(b[n])
	return b[:n], b[n:]
}

// appendCount appends a number that is not negative: its length, and its bytes from the greatest on.
func appendCount(b []byte, n int64) []byte {
	size := (bits.Len64(uint64(n)) + 7) / 8
	b = append(b, byte(size))
	for i := size - 1; i >= 0; i-- {
		b = append(b, byte(n>>(8*i)))
	}
	return b
}
