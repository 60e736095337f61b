package decimal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"strconv"
)

// Shortest returns the float64 nearest to an exact decimal. ok reports whether the float64
// determines the decimal: whether it is the shortest decimal that reads as this float64.
// Decimals of up to 15 digits nearly always are, and so are longer ones that a program wrote
// from a float64 in full. No two such decimals have the same float64, so their order is that of
// their float64.
func (a Number) Shortest() (f float64, ok bool) {
	if a.float || a.large != nil {
		return 0, false
	}
	f = a.Float64()
	m, scale := magnitude(a.mantissa), int(a.scale)
	if m == 0 {
		return f, true
	}
	m, scale = stripZeros(m, scale)
	var room [32]byte
	text := strconv.AppendFloat(room[:0], math.Abs(f), 'e', -1, 64)
	var digits uint64
	decimals, point := 0, false
	for i, c := range text {
		switch {
		case c == 'e':
			exponent, err := strconv.Atoi(string(text[i+1:]))
			digits, decimals = stripZeros(digits, decimals-exponent)
			return f, err == nil && digits == m && decimals == scale
		case c == '.':
			point = true
		default:
			digits = digits*10 + uint64(c-'0')
			if point {
				decimals++
			}
		}
	}
	return 0, false // +Inf
}

func stripZeros(m uint64, scale int) (uint64, int) {
	for m != 0 && m%10 == 0 {
		m, scale = m/10, scale-1
	}
	return m, scale
}

// FromShortest returns the decimal for which Shortest returned f.
func FromShortest(f float64) Number {
	var room [400]byte
	n, kind := Parse(strconv.AppendFloat(room[:0], f, 'f', -1, 64))
	if kind != Plain {
		panic("thresh: bug: a float64 that is not a decimal")
	}
	return n
}

// The ordered encoding of an exact decimal compares bytewise as the values compare. It consists
// of the sign; the number of digits before the point, or minus the number of zeros right after
// it; the digits, without zeros at either end; and an end byte that is less than any digit.
// For negative numbers, all bytes but the sign are inverted.
const (
	orderNegative = iota
	orderZero
	orderPositive

	orderEnd = 0
)

var errOrdered = errors.New("not a decimal in order")

// AppendOrdered appends the ordered encoding of an exact decimal. Equal values have equal
// encodings, and no encoding is a prefix of another.
func (a Number) AppendOrdered(b []byte) []byte {
	if a.float {
		panic("thresh: bug: a float64 among exact decimals")
	}
	sign := a.sign()
	if sign == 0 {
		return append(b, orderZero)
	}
	var room [48]byte
	digits := new(big.Int).Abs(a.bigMantissa()).Append(room[:0], 10)
	before := len(digits) - int(a.scale)
	digits = bytes.TrimRight(digits, "0")
	b = append(b, byte(1+sign))
	at := len(b)
	b = binary.BigEndian.AppendUint32(b, uint32(before)^1<<31)
	b = append(append(b, digits...), orderEnd)
	if sign < 0 {
		for i := at; i < len(b); i++ {
			b[i] = ^b[i]
		}
	}
	return b
}

// DecodeOrdered returns the decimal that AppendOrdered encoded. The encoding is all of b.
func DecodeOrdered(b []byte) (Number, error) {
	if len(b) == 1 && b[0] == orderZero {
		return Number{}, nil
	}
	const headBytes = 1 + 4
	if len(b) < headBytes+2 || b[0] != orderNegative && b[0] != orderPositive {
		return Number{}, errOrdered
	}
	var turn byte
	if b[0] == orderNegative {
		turn = 0xff
	}
	text := []byte{'-'}
	for _, c := range b[headBytes : len(b)-1] {
		text = append(text, c^turn)
	}
	before := int32(binary.BigEndian.Uint32(b[1:headBytes]) ^ uint32(turn)*0x01010101 ^ 1<<31)
	digits := len(text) - 1
	scale := digits - int(before)
	if scale < 0 {
		text, scale = append(text, bytes.Repeat([]byte{'0'}, -scale)...), 0
	}
	if b[0] == orderPositive {
		text = text[1:]
	}
	m, ok := new(big.Int).SetString(string(text), 10)
	if !ok || b[len(b)-1]^turn != orderEnd {
		return Number{}, errOrdered
	}
	return FromBig(m, scale), nil
}
