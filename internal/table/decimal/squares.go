package decimal

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
)

// Squares is an exact sum of squares of numbers. The zero Squares is 0.
type Squares struct {
	decimals Sum
	floats   *big.Int // in units of 2^-squareBits; nil for none
}

// squareBits: the square of every float64 is a multiple of 2^-squareBits.
const squareBits = 2 * unitBits

// Add adds the square of a number that is not infinite.
func (s *Squares) Add(n Number) {
	if !n.float {
		s.decimals.Add(n.Mul(n))
		return
	}
	fraction, exponent := math.Frexp(n.asFloat()) // n is an integer of 53 bits times 2^(exponent-53)
	const mantissaBits = 53
	mantissa := magnitude(int64(math.Ldexp(fraction, mantissaBits)))
	shift := 2*(exponent-mantissaBits) + squareBits
	if zeros := bits.TrailingZeros64(mantissa); mantissa != 0 && shift < 0 { // a subnormal number
		mantissa >>= zeros
		shift += 2 * zeros
	}
	square := new(big.Int).SetUint64(mantissa)
	square.Mul(square, square)
	if mantissa != 0 {
		square.Lsh(square, uint(shift))
	}
	if s.floats == nil {
		s.floats = new(big.Int)
	}
	s.floats.Add(s.floats, square)
}

// AddPlain adds the sum of squares of integers, an unsigned number of three words, times 10^-scale.
func (s *Squares) AddPlain(high, middle, low uint64, scale int) {
	m := new(big.Int).SetUint64(high)
	m.Lsh(m, 64).Or(m, new(big.Int).SetUint64(middle))
	m.Lsh(m, 64).Or(m, new(big.Int).SetUint64(low))
	s.decimals.Add(FromBig(m, scale))
}

// Merge adds the sum o, and does not change o.
func (s *Squares) Merge(o *Squares) {
	s.decimals.Merge(&o.decimals)
	if o.floats == nil {
		return
	}
	if s.floats == nil {
		s.floats = new(big.Int)
	}
	s.floats.Add(s.floats, o.floats)
}

// rat returns the exact sum.
func (s *Squares) rat() *big.Rat {
	sum := s.decimals.rat()
	if s.floats != nil {
		sum.Add(sum, new(big.Rat).SetFrac(s.floats, new(big.Int).Lsh(big.NewInt(1), squareBits)))
	}
	return sum
}

// Variance returns the variance of n numbers with this sum of squares and the given sum: the sum of
// the squared distances from the mean, divided by divisor. It is exact but for one rounding to
// float64, and so is its square root, the standard deviation, if root is true.
func (s *Squares) Variance(sum *Sum, n, divisor int64, root bool) float64 {
	total := sum.rat()
	count := new(big.Rat).SetInt64(n)
	v := total.Mul(total, total)
	v.Quo(v, count)
	v.Sub(s.rat(), v)
	v.Quo(v, new(big.Rat).SetInt64(divisor))
	if !root {
		return roundRat(v)
	}
	// The root of a rounded number of that precision is the exact one's, to many more bits than float64 has.
	const precision = 512
	f := new(big.Float).SetPrec(precision).SetRat(v)
	f.Sqrt(f)
	deviation, _ := f.Float64()
	return deviation
}

// AppendBinary appends an encoding of the sum, for Decode.
func (s *Squares) AppendBinary(b []byte) []byte {
	b = s.decimals.AppendBinary(b)
	if s.floats == nil {
		return binary.AppendUvarint(b, 0)
	}
	return appendBytes(binary.AppendUvarint(b, 1), s.floats.Bytes())
}

// squaresMaxBits: the largest square of a float64 has 4196 bits in units, 2^62 of them 4258.
const squaresMaxBits = 4258

// Decode sets s to the sum that AppendBinary encoded, and returns the bytes after it.
func (s *Squares) Decode(b []byte) (rest []byte, err error) {
	*s = Squares{}
	if b, err = s.decimals.Decode(b); err != nil {
		return nil, err
	}
	r := reader{rest: b}
	switch r.uvarint() {
	case 0:
	case 1:
		s.floats = new(big.Int).SetBytes(r.bytes())
		r.bad = r.bad || s.floats.BitLen() > squaresMaxBits
	default:
		r.bad = true
	}
	if r.bad {
		*s = Squares{}
		return nil, fmt.Errorf("decode a sum of squares: %w", errCorrupt)
	}
	return r.rest, nil
}
