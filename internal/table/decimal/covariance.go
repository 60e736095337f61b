package decimal

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/table/encoded"
)

// Joint has the exact sums of two numbers, of their squares and of their products, over pairs of numbers. The zero
// Joint is of no pairs.
type Joint struct {
	N          int64
	x, y       Sum
	xx, yy, xy Squares
}

// AddPlain adds a pair of integers times powers of ten. Their scales are at most ScaleMax.
func (j *Joint) AddPlain(x, y int64, scaleX, scaleY int) {
	j.N++
	j.x.AddPlain(x>>63, uint64(x), scaleX)
	j.y.AddPlain(y>>63, uint64(y), scaleY)
	j.xx.addIntegers(x, x, 2*scaleX)
	j.yy.addIntegers(y, y, 2*scaleY)
	j.xy.addIntegers(x, y, scaleX+scaleY)
}

// addIntegers adds the product of two integers, times 10^-scale.
func (s *Squares) addIntegers(a, b int64, scale int) {
	high, low := bits.Mul64(uint64(a), uint64(b)) // as unsigned numbers: the high word is put right
	s.decimals.AddPlain(int64(high)-a>>63&b-b>>63&a, low, scale)
}

// Add adds a pair of numbers.
func (j *Joint) Add(x, y Number) {
	j.N++
	j.x.Add(x)
	j.y.Add(y)
	j.xx.addProduct(x, x)
	j.yy.addProduct(y, y)
	j.xy.addProduct(x, y)
}

// Merge adds the pairs of o, and does not change o.
func (j *Joint) Merge(o *Joint) {
	j.N += o.N
	j.x.Merge(&o.x)
	j.y.Merge(&o.y)
	j.xx.Merge(&o.xx)
	j.yy.Merge(&o.yy)
	j.xy.Merge(&o.xy)
}

// infinite reports whether one of the sums is no number.
func (j *Joint) infinite() bool {
	for _, s := range []*Sum{&j.x, &j.y, &j.xx.decimals, &j.yy.decimals, &j.xy.decimals} {
		if _, ok := s.special(); ok {
			return true
		}
	}
	return false
}

// Covariance returns the sum of the products of the distances from both means, divided by divisor. It is rounded once,
// and NaN with an infinity.
func (j *Joint) Covariance(divisor int64) float64 {
	if j.infinite() {
		return math.NaN()
	}
	c := distances(j.N, &j.xy, &j.x, &j.y)
	return roundRat(c.Quo(c, new(big.Rat).SetInt64(j.N*divisor)))
}

// distances returns n times the sum of the products of the distances from both means.
func distances(n int64, products *Squares, x, y *Sum) *big.Rat {
	sum := x.rat()
	sum.Mul(sum, y.rat())
	all := products.rat()
	return all.Sub(all.Mul(all, new(big.Rat).SetInt64(n)), sum)
}

// Correlation returns Pearson's coefficient of correlation. It is rounded once, and NaN if there is none: with an
// infinity, or if all numbers of a side are the same.
func (j *Joint) Correlation() float64 {
	if j.infinite() {
		return math.NaN()
	}
	both := distances(j.N, &j.xx, &j.x, &j.x)
	both.Mul(both, distances(j.N, &j.yy, &j.y, &j.y))
	if both.Sign() <= 0 {
		return math.NaN()
	}
	// With that precision, the quotient is the exact one to many more bits than float64 has.
	const precision = 1024
	root := new(big.Float).SetPrec(precision).SetRat(both)
	root.Sqrt(root)
	c := new(big.Float).SetPrec(precision).SetRat(distances(j.N, &j.xy, &j.x, &j.y))
	f, _ := c.Quo(c, root).Float64()
	return f
}

// AppendBinary appends an encoding of the sums, for Decode.
func (j *Joint) AppendBinary(b []byte) []byte {
	b = binary.AppendVarint(b, j.N)
	b = j.y.AppendBinary(j.x.AppendBinary(b))
	return j.xy.AppendBinary(j.yy.AppendBinary(j.xx.AppendBinary(b)))
}

// Decode sets j to what AppendBinary encoded, and returns the bytes after it.
func (j *Joint) Decode(b []byte) (rest []byte, err error) {
	r := encoded.Reader{Rest: b}
	if j.N = r.Varint(); r.Bad {
		return nil, fmt.Errorf("decode sums of pairs: %w", encoded.ErrCorrupt)
	}
	b = r.Rest
	for _, decode := range []func([]byte) ([]byte, error){j.x.Decode, j.y.Decode, j.xx.Decode, j.yy.Decode, j.xy.Decode} {
		if b, err = decode(b); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Bytes returns the approximate memory.
func (*Joint) Bytes() int { return 512 }
