package simd

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/thresh-dev/thresh/lab"
)

// The post: if there are only signed comparisons, as for vectors before AVX-512, add the least
// number M to both sides: the signed order of the sums is the unsigned order of the numbers. The
// sums may overflow, which is not allowed in C; x^M has the same value and cannot overflow. The post
// proves that this holds for all values, and gives no times.
//
// Each variant checks the identity for all values of 8 and 16 bits and for a sample of wider ones, and
// then is timed on numbers of 32 bits.

// signed has the lane widths of vectors.
type signed interface{ int8 | int16 | int32 | int64 }

// belowByAdding reports whether x < y as unsigned numbers. least must be the least number of the
// type.
func belowByAdding[T signed](x, y, least T) bool { return x+least < y+least }

// belowByFlipping is like belowByAdding, but cannot overflow.
func belowByFlipping[T signed](x, y, least T) bool { return x^least < y^least }

const wantUnsigned = "0 of 9831120 comparisons are wrong; 8248 of 16384 pairs are below"

func unsignedVariants() []lab.Variant {
	return []lab.Variant{
		unsignedVariant("simd/unsigned-by-signed", "x^M < y^M, without overflow",
			comparer{belowByFlipping[int8], belowByFlipping[int16], belowByFlipping[int32], belowByFlipping[int64]},
			func(xs, ys []int32) (n int) {
				for i, x := range xs {
					if belowByFlipping(x, ys[i], math.MinInt32) {
						n++
					}
				}
				return n
			}),
		unsignedVariant("simd/unsigned-by-signed-overflow", "x+M < y+M, with overflow",
			comparer{belowByAdding[int8], belowByAdding[int16], belowByAdding[int32], belowByAdding[int64]},
			func(xs, ys []int32) (n int) {
				for i, x := range xs {
					if belowByAdding(x, ys[i], math.MinInt32) {
						n++
					}
				}
				return n
			}),
	}
}

func unsignedVariant(id, what string, c comparer, countBelow func(xs, ys []int32) int) lab.Variant {
	v := variant(id, what, wantUnsigned, nothing, func() (work, error) {
		compared, wrong := c.check()
		xs, ys, n := make([]int32, 16<<10), make([]int32, 16<<10), 0
		random := rand.New(rand.NewPCG(3, 4))
		for i := range xs {
			xs[i], ys[i] = int32(random.Uint32()), int32(random.Uint32())
		}
		return work{
			once: func() { n = countBelow(xs, ys) }, bytes: 4 * (len(xs) + len(ys)),
			answer: func() string {
				return fmt.Sprintf("%d of %d comparisons are wrong; %d of %d pairs are below", wrong, compared, n, len(xs))
			},
		}, nil
	})
	v.Published = []lab.Published{{Text: "holds for all values"}}
	return v
}

// comparer has one way to compare, for each width.
type comparer struct {
	below8  func(x, y, least int8) bool
	below16 func(x, y, least int16) bool
	below32 func(x, y, least int32) bool
	below64 func(x, y, least int64) bool
}

// check compares all pairs of 8 bits; of 16 bits all neighbours in the unsigned order, both ways, from
// which the order of all pairs follows, and every value with the corners of its range; and of 32 and
// 64 bits a sample and all pairs of corners.
func (c comparer) check() (compared, wrong int) {
	expect := func(got, want bool) {
		compared++
		if got != want {
			wrong++
		}
	}
	for x := range 1 << 8 {
		for y := range 1 << 8 {
			expect(c.below8(int8(x), int8(y), math.MinInt8), x < y)
		}
	}
	for x := range uint16(math.MaxUint16) {
		expect(c.below16(int16(x), int16(x+1), math.MinInt16), true)
		expect(c.below16(int16(x+1), int16(x), math.MinInt16), false)
	}
	for x := range 1 << 16 {
		for _, y := range corners {
			expect(c.below16(int16(x), int16(y), math.MinInt16), uint16(x) < uint16(y))
		}
	}
	sample := func(x, y uint64) {
		expect(c.below32(int32(x), int32(y), math.MinInt32), uint32(x) < uint32(y))
		expect(c.below64(int64(x), int64(y), math.MinInt64), x < y)
	}
	for _, x := range corners {
		for _, y := range corners {
			sample(x, y)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1 << 22 {
		sample(random.Uint64(), random.Uint64())
	}
	return compared, wrong
}

// corners are the numbers at which one of the widths overflows or changes its sign, and their
// neighbours.
var corners = []uint64{
	0, 1, math.MaxUint64, math.MaxUint64 - 1, 1 << 63, 1<<63 - 1, 1<<63 + 1,
	1 << 31, 1<<31 - 1, 1<<31 + 1, math.MaxUint32, math.MaxUint32 - 1,
	1 << 15, 1<<15 - 1, 1<<15 + 1, math.MaxUint16, math.MaxUint16 - 1, 1 << 16, 1 << 32,
}
