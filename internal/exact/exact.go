// Package exact adds up floating-point numbers without error, so that neither their order
// nor who added which of them matters.
//
// The sum is one long fixed-point number that reaches from the lowest bit a float64 can
// have to above the highest, as in R. Neal, "Fast exact summation using small and large
// superaccumulators" (2015). It is kept in limbs of 32 bits, each in an int64 of its own:
// a number is added to the two or three limbs under its mantissa, and carries wait in the
// upper halves until there may be too many.
package exact

import (
	"math"
	"math/big"
)

const (
	limbBits     = 32
	mantissaBits = 53
	lowestBit    = -1074                                                    // of a float64
	limbs        = (971-lowestBit+mantissaBits+limbBits-1)/limbBits + 1 + 2 // and room for carries
	// So many additions of less than 2^32 to a limb cannot overflow it.
	carriesMax = 1 << 30
)

// Float is an exact sum. The zero value is 0. It is not safe for concurrent use.
type Float struct {
	limb    [limbs]int64
	pending int // additions since carries were last propagated

	// What is no finite number is counted apart.
	nan, positive, negative int64 // NaN and the infinities
}

// Add adds a number.
func (s *Float) Add(v float64) {
	bits := math.Float64bits(v)
	exponent := int(bits >> 52 & 0x7ff)
	mantissa := bits & (1<<52 - 1)
	switch exponent {
	case 0x7ff:
		s.addSpecial(v)
		return
	case 0:
		exponent = 1 // subnormal: no hidden bit
	default:
		mantissa |= 1 << 52
	}
	at := exponent - 1 // of the mantissa's lowest bit, above lowestBit
	i, shift := at/limbBits, at%limbBits
	low := mantissa << shift
	high := mantissa >> (64 - shift) // 0 for no shift: Go shifts all bits out
	sign := 1 - 2*int64(bits>>63)
	s.limb[i] += sign * int64(low&math.MaxUint32)
	s.limb[i+1] += sign * int64(low>>limbBits)
	s.limb[i+2] += sign * int64(high)
	if s.pending++; s.pending == carriesMax {
		s.carry()
	}
}

func (s *Float) addSpecial(v float64) {
	switch {
	case v > 0:
		s.positive++
	case v < 0:
		s.negative++
	default:
		s.nan++
	}
}

// carry makes all limbs but the highest less than 2^32 and not negative.
func (s *Float) carry() {
	for i := range limbs - 1 {
		s.limb[i+1] += s.limb[i] >> limbBits
		s.limb[i] &= math.MaxUint32
	}
	s.pending = 0
}

// Merge adds the sum of other. Together they must be of less than 2^60 numbers.
func (s *Float) Merge(other *Float) {
	s.carry()
	o := *other
	o.carry()
	for i := range s.limb {
		s.limb[i] += o.limb[i]
	}
	s.pending = 1
	s.nan += o.nan
	s.positive += o.positive
	s.negative += o.negative
}

// special returns the sum where it is no finite number.
func (s *Float) special() (float64, bool) {
	switch {
	case s.nan > 0 || s.positive > 0 && s.negative > 0:
		return math.NaN(), true
	case s.positive > 0:
		return math.Inf(1), true
	case s.negative > 0:
		return math.Inf(-1), true
	}
	return 0, false
}

// Round returns the float64 nearest to the sum, ties to even; an infinity where the sum is
// too large for one. The sum of nothing, or of zeros of any sign, is +0.
func (s *Float) Round() float64 {
	if v, ok := s.special(); ok {
		return v
	}
	v, _ := s.float().Float64()
	return v
}

// Quotient returns the float64 nearest to the sum divided by n, which is above 0.
func (s *Float) Quotient(n int64) float64 {
	if v, ok := s.special(); ok {
		return v
	}
	sum, _ := s.float().Rat(nil)
	v, _ := sum.Quo(sum, new(big.Rat).SetInt64(n)).Float64()
	return v
}

// float returns the finite sum.
func (s *Float) float() *big.Float {
	t := *s
	t.carry()
	sum := new(big.Int)
	for i := limbs - 1; i >= 0; i-- {
		sum.Lsh(sum, limbBits).Add(sum, big.NewInt(t.limb[i]))
	}
	if sum.Sign() == 0 {
		return new(big.Float)
	}
	f := new(big.Float).SetInt(sum) // with as many bits as it takes
	return f.SetMantExp(f, lowestBit)
}
