// Package digits turns the characters of decimal numbers into integers of a common scale,
// some hundred numbers at once.
//
// A number of up to eight characters is a word of 64 bits, a character a byte, the last one
// in the highest byte. The characters are turned into digits by an exclusive or with '0',
// and a minus and all bytes before the number into zeros, digits that do no harm.
//
// Only a point has bit 4 set then. From that bit come a mask of the digits before it, which
// move up by a byte to close the gap, and their number, which selects the power of ten that
// brings the integer to the common scale. So there is no branch on what a number looks
// like. Whatever is no such number leaves a bit in a word of complaints.
package digits

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Max is how many numbers a Column holds. Its 4 KiB stay in the fastest cache.
const Max = 256

// ScaleMax is the largest scale, so that a product of digits and power stays far below 2^62.
const ScaleMax = 6

// Lanes: kernels look at so many numbers at once. Those behind the last one, up to a
// multiple of Lanes, are to be Pad.
const Lanes = 8

// Column holds numbers, which a kernel replaces by what it made of them.
type Column struct {
	Words   [Max]uint64 // in: characters, the first one in the lowest byte; out: the integer, in two's complement
	Lengths [Max]uint64 // in: how many characters; out: 0, or that this is no such number
}

// Pad makes the lanes behind the first n numbers zeros.
func (c *Column) Pad(n int) {
	for ; n%Lanes != 0; n++ {
		c.Words[n], c.Lengths[n] = '0', 1
	}
}

// Scale is a common scale in the form that kernels need.
type Scale struct {
	powers  [8]uint32 // by the bytes before the point, and by 0 where there is none
	refused uint64    // points that a kernel complains about, in bits of everyByte
}

// ScaleOf returns the form of a scale up to ScaleMax. Points that have more digits behind
// them are refused, and so is a point at the end, which may have none on either side.
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

// Func replaces the first n numbers of a column. It returns the union of the points
// of those that it made integers, a bit at 8*i for a point at byte i, and whether any is
// not such a number: whatever stands then in its word. It is safe for concurrent use.
type Func = func(c *Column, s *Scale, n int) (points uint64, complaint bool)

// unlessFew returns f, but leaves few numbers to the plain form: they are not worth the
// set-up of vectors.
func unlessFew(f Func) Func {
	const fewNumbers = 4
	return func(c *Column, s *Scale, n int) (points uint64, complaint bool) {
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

	// A byte above 9, and a point's byte that is not 0, have their highest bit with these added.
	aboveNine = (0x80 - 10) * everyByte
	aboveZero = 9
	highBits  = 0x80 * everyByte
	pointBit  = 4
)

// variants holds the forms of the kernel, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: integersPlain})

// Best returns the fastest form that may run here. Choose once a job, not once a call.
func Best() kernel.Variant[Func] { return kernel.Choose(variants) }
