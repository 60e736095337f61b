// Package exact sums numbers without rounding errors, so that a sum does not depend on the order of
// additions: not on workers, chunk sizes, or instruction sets.
//
// Int is a 128-bit sum of integers of up to 64 bits, signed or unsigned. Float is a sum of float64,
// kept as a fixed-point number wide enough for all of them; it is rounded once, when it is read.
package exact

import (
	"math/big"
	"math/bits"
)

// Int is a 128-bit sum of integers; the zero Int is 0. It cannot overflow before 2^63 values are
// added: each is below 2^64 in magnitude, so the sum is below 2^127.
type Int struct {
	hi int64 // the sum is hi * 2^64 + lo
	lo uint64
}

// AddInt64 adds v.
func (s *Int) AddInt64(v int64) { s.add(v>>63, uint64(v)) }

// AddUint64 adds v.
func (s *Int) AddUint64(v uint64) { s.add(0, v) }

// MulAdd adds v count times, as for a run of equal values.
func (s *Int) MulAdd(v int64, count uint64) {
	hi, lo := bits.Mul64(uint64(v), count)
	if v < 0 {
		hi -= count // as an unsigned number, v is 2^64 too large
	}
	s.add(int64(hi), lo)
}

// MulAddUint64 adds v count times.
func (s *Int) MulAddUint64(v, count uint64) {
	hi, lo := bits.Mul64(v, count)
	s.add(int64(hi), lo)
}

// Merge adds the sum of o, and leaves o unchanged.
func (s *Int) Merge(o *Int) { s.add(o.hi, o.lo) }

func (s *Int) add(hi int64, lo uint64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, lo, 0)
	s.hi += hi + int64(carry)
}

// Big returns a copy of the sum as a big.Int.
func (s *Int) Big() *big.Int {
	v := big.NewInt(s.hi)
	return v.Lsh(v, 64).Add(v, new(big.Int).SetUint64(s.lo))
}

// String returns the sum in decimal.
func (s *Int) String() string { return s.Big().String() }
