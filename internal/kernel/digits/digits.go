// Package digits parses decimal numbers, some hundred at a time, into integers of a common scale.
//
// A number of up to eight characters is a word of 64 bits, one character per byte, the last one in
// the highest byte. An exclusive or with '0' turns the characters into digits. A minus sign and the
// bytes before the number become zeros: leading zeros change nothing.
//
// After that, only a decimal point has bit 4 set. That bit gives a mask of the digits before the
// point, which move up by one byte to close the gap, and the number of these digits, which selects
// the power of ten that brings the integer to the common scale. So no branch depends on what a
// number looks like. Anything that is not such a number leaves a bit in a word of errors.
package digits

import (
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// ScaleMax is the largest scale. It keeps the product of digits and power far below 2^62.
const ScaleMax = 6

// Refused is what a Func makes of a word that is not a valid number. No valid number is as large.
const Refused = highBits

// Scale is a common scale, prepared for the kernels.
type Scale struct {
	powers  [8]uint32 // indexed by the number of bytes before the point, 0 if there is no point
	refused uint64    // places where a point is invalid, as bits of everyByte
}

// ScaleOf returns the scale with that many decimal places, up to ScaleMax. It refuses points with
// more digits after them, and a point at the end, which might have no digit on either side.
func ScaleOf(scale int) Scale {
	s := Scale{refused: 1 << (8 * (wordBytes - 1))}
	power := uint32(1)
	for before := wordBytes - 1 - scale; before < wordBytes; before++ {
		s.powers[before] = power
		power *= 10
	}
	s.powers[0] = s.powers[wordBytes-1]
	for before := range wordBytes - 1 - scale {
		s.refused |= 1 << (8 * before)
	}
	return s
}

// Func replaces n words, each with the characters of a number, the first one in the lowest byte, by the integers,
// in two's complement. fields[i].Len is how many characters word i has. A word that is not a valid number becomes
// Refused. Func returns the union of the points of the valid numbers, bit i for a point at byte i of a word in which
// the last character is in the highest byte, and whether any word is refused. It is safe for concurrent use.
//
// Vectors that cross lines of the cache are slow, so words and fields should be at addresses that are multiples of 64.
type Func = func(words *uint64, fields *records.Span, s *Scale, n int) (points uint8, refused bool)

// inLanes returns a Func that gives a kernel as many numbers as fill its lanes, and the others to the plain
// variant.
func inLanes(kernel Func, lanes int) Func {
	return func(words *uint64, fields *records.Span, s *Scale, n int) (points uint8, refused bool) {
		whole := n &^ (lanes - 1)
		if whole > 0 {
			points, refused = kernel(words, fields, s, whole)
		}
		if whole < n {
			off := uintptr(whole) * wordBytes
			rest, some := integersPlain((*uint64)(unsafe.Add(unsafe.Pointer(words), off)),
				(*records.Span)(unsafe.Add(unsafe.Pointer(fields), off)), s, n-whole)
			points, refused = points|rest, refused || some
		}
		return points, refused
	}
}

const (
	wordBytes  = 8
	wordBits   = 64
	sizeBits   = 32
	firstByte  = 0xff
	everyByte  = 0x0101010101010101
	zeroDigits = '0' * everyByte
	minusDigit = '-' ^ '0'
	pointDigit = '.' ^ '0'

	// A byte above 9 gets its highest bit set when these are added, as does a byte with a point
	// that is not 0.
	aboveNine = (0x80 - 10) * everyByte
	aboveZero = 9
	highBits  = 0x80 * everyByte
	pointBit  = 4

	// These turn the bits of a byte, one for each lane, into bytes.
	laneBits  = 0x8040201008040201
	laneCarry = 0x7f * everyByte
)

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: integersPlain})

// Best returns the fastest variant that can run here. Choose once per job, not once per call.
func Best() kernel.Variant[Func] { return kernel.Choose(variants) }
