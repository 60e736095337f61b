//go:build amd64 || arm64

package stats

import (
	"math"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// Floats of 16 bits are added as float64, which usually is exact: then they need not be decoded to a block.

// narrowBlockValues is the size of a block of 16-bit floats that is added as float64. A sum of f16 is
// always exact then: its magnitude is below 2^(16+12), and 2^-24 is the unit of all values.
const (
	narrowBlockBits   = 12
	narrowBlockValues = 1 << narrowBlockBits
)

// narrowSumIsExact is sumIsExact for a block of bf16, whose mantissas have 7 bits.
func narrowSumIsExact(magnitude, smallest float64) bool {
	return exponentOf(magnitude)+1+narrowBlockBits-(exponentOf(smallest)-7) <= 53
}

// Converting to float64 is what takes the time. Most blocks can do without: their values are split as
// described at the top of the package, but in lanes of float32, and the remainders are added up, too.
// Let the magnitude of all values be below 2^(top+1).
//
// A lane takes 2^7 values, so an accumulator moves by at most 2^(top+8). It begins at 1.5 times
// 2^(top+10), and its unit is 2^(top-13). The remainders of a lane are at most half a unit each, and
// 2^(top-7) together. These sums are exact if the unit of all values, which is 7 or 10 places below the
// exponent of the smallest one, is at most 24 places below that.
const (
	laneValues       = 1 << 7
	extractAbove     = 10
	extractRangeMost = 24 - 3 // of exponents, for both types
)

// The guess for the next block is one above the exponent of this one. After a block that had to be
// added otherwise, as many blocks are added so without a try.
const untriedBlocks = 15

// extracted adds a block in lanes of float32. Ok is false if that is not exact, because the guess for
// its greatest magnitude was too low, or the smallest magnitude is too far below.
func (s *scratch) extracted(c column, b []byte, bfloat bool, k *kernels) (ok bool) {
	place, scale := s.narrowTop+extractAbove, 1.0
	if !bfloat {
		place, scale = place-112, half32Scale
	}
	const exponentMin, exponentMax = -126, 126
	switch {
	case s.untried > 0:
		s.untried--
		return false
	case place > exponentMax:
		s.narrowTop = 0
		return false
	}
	start := math.Ldexp(1.5, max(place, exponentMin))
	ul, uh, sl, sh, sum := k.sum16(b, bfloat, c.typ.BigEndian(), float32(start))
	low, high, smallest := fromBits(ul, uh, sl, sh)
	e := extremesOf16(low, high, bfloat)
	if !e.finite() {
		s.untried = untriedBlocks
		return false
	}
	if e.magnitude() > 0 {
		guess, top, bottom := s.narrowTop, exponentOf(e.magnitude())-1023, exponentOf(widen(smallest, bfloat))-1023
		if !bfloat {
			bottom = max(bottom, -14) // the unit of all f16 is 10 places below
		}
		s.narrowTop = top + 1
		if top+1-bottom > extractRangeMost {
			s.untried = untriedBlocks
		}
		if top > guess || guess-bottom > extractRangeMost {
			return false
		}
	}
	s.parts.n += uint64(len(b) / 2)
	s.parts.bound(e.least, e.greatest)
	s.parts.floats.Add(sum * scale)
	return true
}

// fromBits returns the keys of the least and the greatest float, and the bits of the smallest magnitude,
// which is 0 if there is a zero. It gets the least and the greatest bits, as unsigned and as signed
// numbers: bits of positive floats rise with the value in both orders; those of negative floats fall,
// and are above the positive ones in one order and below them in the other.
func fromBits(ul, uh uint16, sl, sh int16) (low, high int16, smallest uint16) {
	const sign = 1 << 15
	least, greatest := uh, uint16(sh)
	if uh < sign { // there are no negative ones
		least = ul
	}
	if sh < 0 { // there are no others
		greatest = uint16(sl)
	}
	smallest = sign - 1
	if ul < sign {
		smallest = ul
	}
	if sl < 0 {
		smallest = min(smallest, uint16(sl)&^sign)
	}
	return keyOf16(least), keyOf16(greatest), smallest
}

// keyOf16 returns the key of the float with these bits.
func keyOf16(raw uint16) int16 { return int16(raw) ^ int16(uint16(int16(raw)>>15)>>1) }

// addNarrow lets the kernels add whole steps of 16-bit floats, and returns the rest.
func (s *scratch) addNarrow(c column, b []byte, k *kernels) (rest []byte) {
	bfloat := c.bfloat()
	for len(b) >= 2*stepValues {
		n := min(len(b)/2&^(stepValues-1), laneValues*k.vectorBytes/2)
		values := b[:2*n]
		b = b[2*n:]
		if !s.extracted(c, values, bfloat, k) {
			s.addAsDoubles(c, values, bfloat, k)
		}
	}
	return b
}

// addAsDoubles adds a block of at most narrowBlockValues as float64.
func (s *scratch) addAsDoubles(c column, b []byte, bfloat bool, k *kernels) {
	low, high, sum, smallest := k.add16(b, bfloat, c.typ.BigEndian())
	e := extremesOf16(low, high, bfloat)
	if !e.finite() || bfloat && !narrowSumIsExact(e.magnitude(), widen(smallest, bfloat)) {
		s.addDecoded(c, b, bfloat, k)
		return
	}
	if !bfloat {
		sum *= half32Scale
	}
	s.parts.n += uint64(len(b) / 2)
	s.parts.bound(e.least, e.greatest)
	s.parts.floats.Add(sum)
}

// addDecoded decodes 16-bit floats to blocks and adds those.
func (s *scratch) addDecoded(c column, b []byte, bfloat bool, k *kernels) {
	for len(b) > 0 {
		x := s.block[:min(len(b)/2, blockValues)]
		e := extremes{least: math.MaxUint64}
		for i := range x {
			x[i] = widen(kernel.Load[uint16](b[2*i:], c.typ.BigEndian()), bfloat)
			e.least, e.greatest = min(e.least, rank(x[i])), max(e.greatest, rank(x[i]))
		}
		b = b[2*len(x):]
		s.addBlock(x, e, k)
	}
}
