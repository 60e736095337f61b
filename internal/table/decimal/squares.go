package decimal

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"

	"github.com/thresh-dev/thresh/internal/table/encoded"
)

// Squares is an exact sum of squares of numbers, or of products. The zero Squares is 0.
type Squares struct {
	decimals Sum
	floats   *big.Int // in units of 2^-squareBits; nil for none
}

// squareBits: the square of every float64 is a multiple of 2^-squareBits.
const squareBits = 2 * unitBits

// Add adds the square of a number.
func (s *Squares) Add(n Number) { s.addProduct(n, n) }

// addProduct adds the product of two numbers: the exact one of two decimals, and otherwise the exact one of the nearest
// float64. An infinity is left to the sums of the numbers, unless it is only the nearest float64 that is infinite.
func (s *Squares) addProduct(a, b Number) {
	switch {
	case !a.float && !b.float:
		s.decimals.Add(a.Mul(b))
		return
	case a.infinite(), b.infinite():
		return
	}
	x, y := a.Float64(), b.Float64()
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		s.decimals.Add(FromFloat(math.Inf(1)))
		return
	}
	m, exponent := integral(x)
	n, more := m, exponent
	if x != y {
		n, more = integral(y)
	}
	product := m.Mul(m, n)
	// The product is a multiple of 2^-squareBits, so nothing is lost.
	if shift := exponent + more + squareBits; shift >= 0 {
		product.Lsh(product, uint(shift))
	} else {
		product.Quo(product, new(big.Int).Lsh(big.NewInt(1), uint(-shift)))
	}
	if s.floats == nil {
		s.floats = new(big.Int)
	}
	s.floats.Add(s.floats, product)
}

// integral returns a float64 as an integer times a power of two.
func integral(f float64) (m *big.Int, exponent int) {
	const mantissaBits = 53
	fraction, exponent := math.Frexp(f)
	return big.NewInt(int64(math.Ldexp(fraction, mantissaBits))), exponent - mantissaBits
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
// float64, and so is its square root, the standard deviation, if root is true. With an infinity it is NaN.
func (s *Squares) Variance(sum *Sum, n, divisor int64, root bool) float64 {
	if _, ok := sum.special(); ok {
		return math.NaN()
	}
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

// What an encoding says of the floats.
const (
	noSquares = iota
	positiveSquares
	negativeSquares
)

// AppendBinary appends an encoding of the sum, for Decode.
func (s *Squares) AppendBinary(b []byte) []byte {
	b = s.decimals.AppendBinary(b)
	if s.floats == nil {
		return binary.AppendUvarint(b, noSquares)
	}
	sign := uint64(positiveSquares)
	if s.floats.Sign() < 0 { // of products
		sign = negativeSquares
	}
	return encoded.AppendBytes(binary.AppendUvarint(b, sign), s.floats.Bytes())
}

// squaresMaxBits: the largest square of a float64 has 4196 bits in units, 2^62 of them 4258.
const squaresMaxBits = 4258

// Decode sets s to the sum that AppendBinary encoded, and returns the bytes after it.
func (s *Squares) Decode(b []byte) (rest []byte, err error) {
	*s = Squares{}
	if b, err = s.decimals.Decode(b); err != nil {
		return nil, err
	}
	r := encoded.Reader{Rest: b}
	switch sign := r.Uvarint(); sign {
	case noSquares:
	case positiveSquares, negativeSquares:
		if s.floats = new(big.Int).SetBytes(r.Bytes()); sign == negativeSquares {
			s.floats.Neg(s.floats)
		}
		r.Bad = r.Bad || s.floats.BitLen() > squaresMaxBits
	default:
		r.Bad = true
	}
	if r.Bad {
		*s = Squares{}
		return nil, fmt.Errorf("decode a sum of squares: %w", encoded.ErrCorrupt)
	}
	return r.Rest, nil
}
