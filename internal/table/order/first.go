package order

import (
	"bytes"
	"encoding/binary"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// Kind is what a value is ordered as.
type Kind uint8

// The kinds of values, in their order. Null comes before them if the direction says so.
const (
	Number Kind = iota
	Time
	Text
	Null
)

// First is the value that a key begins with.
type First struct {
	Kind   Kind
	Number decimal.Number
	Text   []byte // of a time or a text
}

// First returns the value that a key begins with. ok is false for a number that is not a short decimal.
func (d Direction) First(key []byte) (f First, ok bool) {
	switch lead := key[0]; lead {
	case firstNull, lastNull:
		return First{Kind: Null}, true
	case minusInf, plusInf:
		return First{}, false
	case timeOrDate, text:
		rest := bytes.Clone(key[1:])
		if d.Descending {
			invert(rest)
		}
		f.Kind = Text
		if lead == timeOrDate {
			f.Kind, rest = Time, value.CutOrdered(rest)
		}
		_, f.Text, _ = value.CutPart(rest, nil)
		return f, true
	default:
		f.Number, ok = d.decimal(lead, key[1:])
		return f, ok
	}
}

// shortDigits are so many digits that no number with them, and a point told by one byte, is long.
const shortDigits = 40

// decimal decodes a number.
func (d Direction) decimal(lead byte, rest []byte) (n decimal.Number, ok bool) {
	if lead == zero {
		return n, true
	}
	minus, turn := lead == d.lead(negative), byte(0)
	if minus != d.Descending {
		turn = 0xff
	}
	before := int(rest[0]^turn) - pointMiddle
	if before > pointMost || before < -pointMost {
		return n, false
	}
	var digits []byte
	for _, c := range rest[1:] {
		if c ^= turn; c == digitsEnd || len(digits) > shortDigits {
			break
		}
		digits = append(digits, (c-digitsLeast)/10+'0', (c-digitsLeast)%10+'0')
	}
	if len(digits) > shortDigits {
		return n, false
	}
	if before > len(digits) {
		digits = append(digits, bytes.Repeat([]byte{'0'}, before-len(digits))...)
	}
	var written []byte
	if minus {
		written = append(written, '-')
	}
	if before <= 0 {
		written = append(append(written, '.'), bytes.Repeat([]byte{'0'}, -before)...)
		written = append(written, digits...)
	} else {
		written = append(append(append(written, digits[:before]...), '.'), digits[before:]...)
	}
	n, _ = decimal.Parse(written)
	return n, true
}

// prefix returns the first eight bytes of a key, as a number that orders keys.
func prefix(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var room [8]byte
	copy(room[:], key)
	return binary.BigEndian.Uint64(room[:])
}
