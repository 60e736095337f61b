package compare

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/question"
)

// Type says how to read the bytes of a value: kind of number, width, byte order. The zero Type is
// not a type; get one from ParseType.
type Type struct {
	kind      kind
	width     int // in bytes
	bigEndian bool

	// exponent has the bits of a float's exponent, and whether it is finite: see floats.go. The compiler keeps structs
	// of up to four fields in registers, so this is one field.
	exponent uint8
}

type kind byte

const (
	unsigned kind = 'u'
	signed   kind = 'i'
	float    kind = 'f'
)

// String returns the name that ParseType reads, without le, which is the default.
func (t Type) String() string {
	little, order := t, ""
	if t.bigEndian {
		little.bigEndian, order = false, "be"
	}
	for _, n := range names {
		if n.typ == little {
			return n.name + order
		}
	}
	return "no type"
}

// TypeOf returns the type; the zero Type, whose width is 0, if there is no such type.
func TypeOf(t question.ValueType) Type {
	known, _ := ParseType(string(t)) // the zero Type is the answer, too
	return known
}

// Width returns the bytes of a value: 1, 2, 4 or 8.
func (t Type) Width() int { return t.width }

// Stride returns the distance between the starts of values: what was asked for, or, if that is 0, the width.
func (t Type) Stride(asked int64) (int64, error) {
	switch {
	case asked < 0:
		return 0, fmt.Errorf("stride %d is not positive", asked)
	case asked == 0:
		return int64(t.width), nil
	}
	return asked, nil
}

// Signed reports whether values may be negative; floats may.
func (t Type) Signed() bool { return t.kind != unsigned }

// Float reports whether values are binary floating point numbers.
func (t Type) Float() bool { return t.kind == float }

// BigEndian reports whether the most significant byte comes first; false for types of one byte.
func (t Type) BigEndian() bool { return t.bigEndian }

// FormatFloat formats a number of 32 or 64 bits with as few digits as distinguish it from its
// neighbours, and with an exponent only where people would want one.
func FormatFloat(v float64, bits int) string {
	if abs := math.Abs(v); abs >= 1e-6 && abs < 1e21 {
		return strconv.FormatFloat(v, 'f', -1, bits)
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}

// A value's rank is its position in the order of its type, counted from 0 for the lowest. So
// comparing values is comparing ranks as unsigned numbers of the same width.
//
//	unsigned  the bits themselves
//	signed    the sign bit flipped, which moves the negative half below the other
//	float     the key below, then as signed
//
// The bits of floats already rise with the value if the sign is clear, and fall if it is set. The
// key reverses the latter by flipping all bits but the sign. Negative NaNs end up below -Inf,
// positive ones above +Inf, and -0 directly below +0.
func (t Type) rank(bits uint64) uint64 {
	if t.kind == float && bits&t.signBit() != 0 {
		bits ^= t.maxRank() >> 1
	}
	return bits ^ t.bias()
}

// bias turns keys into ranks, and back, by exclusive or. Flipping the highest bit is the same as
// adding it, so differences of keys are differences of ranks: kernels subtract keys and need not
// know whether a type is signed.
func (t Type) bias() uint64 {
	if t.kind == unsigned {
		return 0
	}
	return t.signBit()
}

func (t Type) signBit() uint64 { return 1 << (8*t.width - 1) }

func (t Type) maxRank() uint64 { return math.MaxUint64 >> (64 - 8*t.width) }

// swap reverses the bytes of a value.
func (t Type) swap(value uint64) uint64 { return bits.ReverseBytes64(value) >> (64 - 8*t.width) }

// decode returns the bits of the first value of b.
func (t Type) decode(b []byte) uint64 {
	switch t.width {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(kernel.Load[uint16](b, t.bigEndian))
	case 4:
		return uint64(kernel.Load[uint32](b, t.bigEndian))
	}
	return kernel.Load[uint64](b, t.bigEndian)
}
