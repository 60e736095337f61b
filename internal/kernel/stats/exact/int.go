// Package exact adds numbers without error, so that a sum does not depend on the order of
// its parts: on workers, chunk sizes, or instruction sets.
//
// Int adds integers of up to 64 bits, signed or not, in 128 bits. Float adds binary
// floating point numbers in a fixed-point number that is wide enough for all of them, and
// rounds once, at the end.
package exact

import (
	"math/big"
	"math/bits"
)

// Int is a sum of integers in 128 bits; the zero Int is 0. It cannot overflow while fewer
// than 2 to the power of 63 values are added: each is below 2 to the power of 64 in
// magnitude, so the sum is below 2 to the power of 127.
type Int struct {
	hi int64 // the sum is hi * 2 to the power of 64 + lo
	lo uint64
}

// AddInt64 adds v.
func (s *Int) AddInt64(v int64) { s.add(v>>63, uint64(v)) }

// AddUint64 adds v.
func (s *Int) AddUint64(v uint64) { s.add(0, v) }

// MulAdd adds v as often as count says, as for a run of equal values.
func (s *Int) MulAdd(v int64, count uint64) {
	hi, lo := bits.Mul64(uint64(v), count)
	if v < 0 {
		hi -= count // as an unsigned number, v is 2 to the power of 64 too large
	}
	s.add(int64(hi), lo)
}

// MulAddUint64 adds v as often as count says.
func (s *Int) MulAddUint64(v, count uint64) {
	hi, lo := bits.Mul64(v, count)
	s.add(int64(hi), lo)
}

// Merge adds what o has summed up, and leaves o as it is.
func (s *Int) Merge(o *Int) { s.add(o.hi, o.lo) }

func (s *Int) add(hi int64, lo uint64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, lo, 0)
	s.hi += hi + int64(carry)
}

// Big returns the sum as a number of its own.
func (s *Int) Big() *big.Int {
	v := big.NewInt(s.hi)
	return v.Lsh(v, 64).Add(v, new(big.Int).SetUint64(s.lo))
}

// String returns the sum in decimal.
func (s *Int) String() string { return s.Big().String() }

// Float64 returns the float64 nearest to the sum, the even one of two.
func (s *Int) Float64() float64 {
	f, _ := s.Big().Float64()
	return f
}
