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
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Max is how many numbers a Column holds. Its 4 KiB stay in the first-level cache.
const Max = 256

// ScaleMax is the largest scale. It keeps the product of digits and power far below 2^62.
const ScaleMax = 6

// Lanes is how many numbers a kernel works on at once. The lanes after the last number, up to a
// multiple of Lanes, must be padded with Pad.
const Lanes = 8

// Column holds numbers; a kernel replaces them by the results.
type Column struct {
	Words   [Max]uint64 // in: characters, the first one in the lowest byte; out: the integer, in two's complement
	Lengths [Max]uint64 // in: how many characters; out: 0, or not 0 if this is not a valid number
}

// Pad sets the lanes after the first n numbers to the number zero.
func (c *Column) Pad(n int) {
	for ; n%Lanes != 0; n++ {
		c.Words[n], c.Lengths[n] = '0', 1
	}
}

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

// Func replaces the first n numbers of a column. It returns the union of the points of the valid
// numbers, bit 8*i for a point at byte i, and whether any number is invalid; the word of an invalid
// number is then undefined. It is safe for concurrent use.
type Func = func(c *Column, s *Scale, n int) (points uint64, invalid bool)

// unlessFew returns f, but gives small batches to the plain variant: vectors do not repay their
// set-up there.
func unlessFew(f Func) Func {
	const fewNumbers = 4
	return func(c *Column, s *Scale, n int) (points uint64, invalid bool) {
		if n < fewNumbers {
			return integersPlain(c, s, n)
		}
		return f(c, s, n)
	}
}

const (
	wordBytes  = 8
	wordBits   = 64
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
)

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: integersPlain})

// Best returns the fastest variant that can run here. Choose once per job, not once per call.
func Best() kernel.Variant[Func] { return kernel.Choose(variants) }
