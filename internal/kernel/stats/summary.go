package stats

import (
	"math/big"
	"math/bits"
	"strconv"

	"github.com/thresh-dev/thresh/internal/exact"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
)

// Summary is what is known of the values of one type. The zero value is that of no values.
// It does not depend on the order in which values were added. It is not safe for concurrent
// use: give each worker its own and merge them.
type Summary struct {
	typ  compare.Type
	all  part
	next part // of the call of Add that is under way
}

// part is the sum of some values.
type part struct {
	n, nan int64
	// Of integers, by rank.
	low, high       uint64
	sumHigh, sumLow uint64
	// Of floats.
	lowest, highest float64
	sum             exact.Float
}

func (s *Summary) begin(t compare.Type) {
	if s.typ == (compare.Type{}) {
		s.typ = t
	}
	if s.typ != t {
		panic("thresh: bug: a summary of values of two types")
	}
	s.next = part{}
}

func (s *Summary) commit() { s.all.merge(&s.next) }

// Merge adds the values of other.
func (s *Summary) Merge(other *Summary) {
	if other.all.n == 0 {
		return
	}
	s.begin(other.typ)
	s.all.merge(&other.all)
}

// AddZeros adds n values of zero bytes of a type.
func (s *Summary) AddZeros(t compare.Type, n int64) {
	if n == 0 {
		return
	}
	s.begin(t)
	s.next.n = n
	if !t.Float() {
		rank := biasOf(t)
		s.next.low, s.next.high = rank, rank
		s.next.sumHigh, s.next.sumLow = bits.Mul64(rank, uint64(n))
	}
	s.commit()
}

func (p *part) addWhole(w whole, n int64) {
	if p.n == 0 {
		p.low, p.high = w.low, w.high
	}
	p.low, p.high = min(p.low, w.low), max(p.high, w.high)
	p.n += n
	p.addSum(w.sumHighBy>>32, w.sumHighBy<<32)
	p.addSum(0, w.sumLow)
}

func (p *part) addSum(high, low uint64) {
	var carry uint64
	p.sumLow, carry = bits.Add64(p.sumLow, low, 0)
	p.sumHigh, _ = bits.Add64(p.sumHigh, high, carry)
}

// addFloats adds all but the sum. Zeros are +0 from here on.
func (p *part) addFloats(low, high float64, n, nan int64) {
	if n > nan {
		if p.n == p.nan {
			p.lowest, p.highest = low, high
		}
		p.lowest, p.highest = min(p.lowest, low)+0, max(p.highest, high)+0
	}
	p.n += n
	p.nan += nan
}

func (p *part) merge(other *part) {
	if other.n == 0 {
		return
	}
	if p.n == 0 {
		p.low, p.high = other.low, other.high
	}
	p.low, p.high = min(p.low, other.low), max(p.high, other.high)
	p.addSum(other.sumHigh, other.sumLow)
	p.addFloats(other.lowest, other.highest, other.n, other.nan)
	p.sum.Merge(&other.sum)
}

// N returns how many values there are.
func (s *Summary) N() int64 { return s.all.n }

// NaN returns how many of them are not a number. All other figures are about the rest.
func (s *Summary) NaN() int64 { return s.all.nan }

// Min returns the least value as decimal text that reads back as the same value, and the
// empty text where there is none.
func (s *Summary) Min() string { return s.value(s.all.low, s.all.lowest) }

// Max returns the greatest value, as Min does the least.
func (s *Summary) Max() string { return s.value(s.all.high, s.all.highest) }

func (s *Summary) value(rank uint64, float float64) string {
	switch {
	case s.all.n == s.all.nan:
		return ""
	case s.typ.Float():
		return compare.FormatFloat(float, 8*s.typ.Width())
	case s.typ.Signed():
		shift := 64 - 8*s.typ.Width()
		return strconv.FormatInt(int64((rank^biasOf(s.typ))<<shift)>>shift, 10)
	}
	return strconv.FormatUint(rank, 10)
}

// Sum returns the sum: exact for integers, and for floats the float64 nearest to the exact
// sum. It is empty where there are no values.
func (s *Summary) Sum() string {
	switch {
	case s.all.n == s.all.nan:
		return ""
	case s.typ.Float():
		return compare.FormatFloat(s.all.sum.Round(), 64)
	}
	return s.whole().String()
}

// Mean returns the float64 nearest to the sum divided by the number of values, empty where
// there are none.
func (s *Summary) Mean() string {
	n := s.all.n - s.all.nan
	if n == 0 {
		return ""
	}
	mean := s.all.sum.Quotient(n)
	if !s.typ.Float() {
		mean, _ = new(big.Rat).SetFrac(s.whole(), big.NewInt(n)).Float64()
	}
	return compare.FormatFloat(mean, 64)
}

// whole returns the sum of integers. That of their ranks fits 128 bits, as they are fewer
// than 2^63.
func (s *Summary) whole() *big.Int {
	sum := new(big.Int).SetUint64(s.all.sumHigh)
	sum.Lsh(sum, 64).Add(sum, new(big.Int).SetUint64(s.all.sumLow))
	bias := new(big.Int).SetUint64(biasOf(s.typ))
	return sum.Sub(sum, bias.Mul(bias, big.NewInt(s.all.n)))
}
