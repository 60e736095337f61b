package stats

import (
	"math"
	"math/big"

	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/stats/exact"
)

// Summary summarizes the values of a column so far; get one from New. It is about 20 KiB large,
// since it holds the scratch memory of Kernel.Add. It is not safe for concurrent use: give each
// worker its own and merge them.
type Summary struct {
	scratch // first, see there
	typ     compare.Type
	all     totals
}

// scratch is the working memory of a call of Kernel.Add. The block comes first because an
// allocation this large begins at the start of a cache line: a vector across two lines costs twice
// as much.
type scratch struct {
	block        [blockValues]float64
	gathered     [8 * blockValues]byte
	parts        totals // what this call has added up so far
	layersBefore int    // how many layers the block before had below its first
	oneByOne     int    // how many blocks to come are added without layers
	narrowTop    int    // of 16-bit floats: the guess for the greatest exponent of the next block
	untried      int    // how many blocks of these to come are added without a guess
}

// totals are sums that can be merged in any order.
type totals struct {
	n, nan, inf uint64

	// min and max are ranks: numbers that rise with the value. The rank of an integer is its bits,
	// biased; that of a float is the rank of its float64, see rank. While there is no value but
	// NaN, min is above max.
	min, max uint64

	ints   exact.Int
	floats exact.Float
}

func none() totals { return totals{min: math.MaxUint64} }

func (t *totals) merge(o *totals) {
	t.n += o.n
	t.nan += o.nan
	t.inf += o.inf
	t.bound(o.min, o.max)
	t.ints.Merge(&o.ints)
	t.floats.Merge(&o.floats)
}

// bound widens the range from min to max to include these ranks.
func (t *totals) bound(least, greatest uint64) {
	t.min = min(t.min, least)
	t.max = max(t.max, greatest)
}

const signBit = 1 << 63

// rank returns the position of a float64 in the order of all float64: as unsigned numbers, ranks
// rise with the value, and -0 is directly below +0. The ranks of NaNs lie outside those of the
// infinities.
func rank(x float64) uint64 {
	raw := math.Float64bits(x)
	return raw ^ (uint64(int64(raw)>>63) | signBit)
}

// fromRank returns the float64 with this rank.
func fromRank(r uint64) float64 {
	return math.Float64frombits(r ^ (^uint64(int64(r)>>63) | signBit))
}

// New returns the summary of no values, for kernels of this type.
func New(t compare.Type) *Summary { return &Summary{typ: t, all: none()} }

// Merge adds the values of o, and leaves o unchanged. It panics if o is of another type.
func (s *Summary) Merge(o *Summary) {
	if s.typ != o.typ {
		panic("thresh: bug: a summary of " + s.typ.String() + " cannot merge one of " + o.typ.String())
	}
	s.all.merge(&o.all)
}

// AddZeros adds n values with all bytes zero, as in a hole of a file.
func (s *Summary) AddZeros(n uint64) {
	if n == 0 {
		return
	}
	s.all.n += n
	zero := bias(s.typ)
	if s.typ.Float() {
		zero = rank(0)
	}
	s.all.bound(zero, zero)
}

// N returns the number of values, including NaNs.
func (s *Summary) N() uint64 { return s.all.n }

// NaN returns the number of NaNs, which minimum, maximum, sum and mean ignore.
func (s *Summary) NaN() uint64 { return s.all.nan }

// Inf returns the number of infinities of either sign.
func (s *Summary) Inf() uint64 { return s.all.inf }

// MinText returns the minimum in decimal, "" if there is no value but NaN. An integer is written in
// full; a float with as many digits as distinguish it from others of its type, or as +Inf or -Inf.
// A -0 is below +0.
func (s *Summary) MinText() string { return s.text(s.all.min) }

// MaxText returns the maximum, in the format of MinText.
func (s *Summary) MaxText() string { return s.text(s.all.max) }

func (s *Summary) text(r uint64) string {
	switch {
	case s.empty():
		return ""
	case s.typ.Float():
		return s.typ.Format(fromRank(r))
	}
	var v exact.Int
	v.AddUint64(r)
	v.AddInt64(-int64(bias(s.typ)))
	return v.String()
}

// empty reports whether there is no value but NaN.
func (s *Summary) empty() bool { return s.all.n == s.all.nan }

// SumText returns the sum in decimal. It is exact for integers. For floats it is the float64
// nearest to the exact sum, with as many digits as distinguish it from others; +Inf or -Inf if the
// sum is too large for a float64 or contains that infinity, NaN if it contains both. The sum of no
// values is 0, and so is the sum of any zeros, without a sign.
func (s *Summary) SumText() string {
	if s.typ.Float() {
		return compare.FormatFloat(s.all.floats.Round(), 64)
	}
	return s.all.ints.String()
}

// MeanText returns the float64 nearest to the exact mean, in the format of SumText, "" if there is
// no value but NaN.
func (s *Summary) MeanText() string {
	if s.empty() {
		return ""
	}
	sum, finite := s.all.floats.Rat()
	switch {
	case !s.typ.Float():
		sum = new(big.Rat).SetInt(s.all.ints.Big())
	case !finite:
		return compare.FormatFloat(s.all.floats.Round(), 64)
	}
	count := new(big.Int).SetUint64(s.all.n - s.all.nan)
	mean, _ := sum.Quo(sum, new(big.Rat).SetInt(count)).Float64()
	return compare.FormatFloat(mean, 64)
}
