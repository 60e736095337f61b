//go:build amd64 || arm64

package stats

import (
	"math"
	"math/bits"
)

// kernels are the functions that an instruction set provides. Their arguments are whole steps, of
// stepBytes bytes or stepValues floats.
type kernels struct {
	ints [4]ints // indexed by the logarithm of the width

	// decode32 and decode64 decode the floats of b into x, as many as b has, and find the keys of
	// the minimum and the maximum, NaNs included. decode32 also returns what sumIsExact needs: the
	// sum by float64 additions in any order, and the bits of the smallest magnitude other than
	// zero, 0 if all values are zero.
	decode32 func(x []float64, b []byte, bigEndian bool) (low, high int32, sum float64, smallest uint32)
	decode64 func(x []float64, b []byte, bigEndian bool) (low, high int64)

	// add16 adds floats of 16 bits, without decoding them to a block. It finds what decode32 finds,
	// but the extremes and the smallest magnitude as keys and bits of 16 bits. The sum of f16 values
	// is 2^-112 of theirs: see half32.
	add16 func(b []byte, bfloat, bigEndian bool) (low, high int16, sum float64, smallest uint16)

	// sum16 adds floats of 16 bits in fewer steps: see extracted. It returns the minimum and the
	// maximum of their bits, as unsigned and as signed numbers.
	sum16       func(b []byte, bf16, swap bool, start float32) (ul, uh uint16, sl, sh int16, sum float64)
	vectorBytes int

	// withoutNaN replaces NaNs by zeros, counts them, and finds the keys of the minimum and the
	// maximum of the other values.
	withoutNaN func(x []float64) (nan int, low, high int64)

	// peel takes one layer off x. add only returns the layer's sum: it serves the last layer, after
	// which nothing remains.
	peel, add func(x []float64, start float64) (sum float64, remains bool)
}

// ints finds the minimum, the maximum and the sum of integers, all biased. sum32 counts multiples
// of 2^32.
type ints = func(b []byte, bias uint64, bigEndian bool) (low, high, sum, sum32 uint64)

const (
	stepBytes  = 128
	stepValues = 32
)

// extremes are the ranks, as float64, of the minimum and the maximum of some floats.
type extremes struct{ least, greatest uint64 }

// A key is the bits of a float, with all bits but the sign flipped if it is negative. As a signed
// number, it rises with the value.

func extremesOf32(low, high int32) extremes { return extremes{rankOf32(low), rankOf32(high)} }

func rankOf32(key int32) uint64 {
	raw := uint32(key) ^ uint32(key>>31)>>1
	return rank(float64(math.Float32frombits(raw)))
}

func extremesOf64(low, high int64) extremes {
	return extremes{uint64(low) ^ signBit, uint64(high) ^ signBit}
}

func extremesOf16(low, high int16, bfloat bool) extremes {
	return extremes{rankOf16(low, bfloat), rankOf16(high, bfloat)}
}

func rankOf16(key int16, bfloat bool) uint64 {
	return rank(widen(uint16(key)^uint16(key>>15)>>1, bfloat))
}

// finite reports whether all the floats are finite; NaN is not.
func (e extremes) finite() bool {
	return e.least > rank(math.Inf(-1)) && e.greatest < rank(math.Inf(1))
}

// magnitude returns the greatest magnitude of the floats.
func (e extremes) magnitude() float64 {
	return max(math.Abs(fromRank(e.least)), math.Abs(fromRank(e.greatest)))
}

// addVectors lets the kernels add whole steps, and the plain variant the rest.
func addVectors(s *scratch, c column, b []byte, k *kernels) {
	width := c.typ.Width()
	if width == 2 && c.typ.Float() {
		b = s.addNarrow(c, b, k)
	} else if c.typ.Float() {
		for len(b) >= stepValues*width {
			n := min(len(b)/width&^(stepValues-1), blockValues)
			x, values := s.block[:n], b[:n*width]
			b = b[n*width:]
			if width == 8 {
				s.addBlock(x, extremesOf64(k.decode64(x, values, c.typ.BigEndian())), k)
				continue
			}
			low, high, sum, smallest := k.decode32(x, values, c.typ.BigEndian())
			e := extremesOf32(low, high)
			if !e.finite() || !sumIsExact(e.magnitude(), float64(math.Float32frombits(smallest))) {
				s.addBlock(x, e, k)
				continue
			}
			s.parts.n += uint64(n)
			s.parts.bound(e.least, e.greatest)
			s.parts.floats.Add(sum)
		}
	} else if whole := len(b) &^ (stepBytes - 1); whole > 0 {
		low, high, sum, sum32 := k.ints[bits.TrailingZeros(uint(width))](b[:whole], c.bias, c.typ.BigEndian())
		b = b[whole:]
		s.parts.n += uint64(whole / width)
		s.parts.bound(low, high)
		s.parts.ints.AddUint64(sum)
		s.parts.ints.MulAddUint64(1<<32, sum32)
	}
	addPlain(s, c, b)
}

// layersMax is how often remainders are peeled off before they are added one by one. A layer is 43
// bits thick, so seven layers hold everything in a block of float32, 277 bits, and float64 whose
// exponents differ by up to about 240.
const layersMax = 7

// addBlock adds the values of x, which are whole steps with these extremes. It destroys x.
func (s *scratch) addBlock(x []float64, e extremes, k *kernels) {
	t := &s.parts
	t.n += uint64(len(x))
	if e.least < rank(math.Inf(-1)) || e.greatest > rank(math.Inf(1)) {
		nan, low, high := k.withoutNaN(x)
		t.nan += uint64(nan)
		if nan == len(x) {
			return
		}
		e = extremesOf64(low, high)
	}
	t.bound(e.least, e.greatest)
	if !e.finite() {
		t.inf += infinities(x)
	}
	place := startPlace(e.magnitude())
	if s.oneByOne > 0 || place > placeMax {
		s.oneByOne = max(0, s.oneByOne-1)
		t.floats.AddSlice(x)
		return
	}
	// Most blocks have as many layers as the one before, so the kernel for the last layer is a
	// guess. A wrong guess changes no sum.
	for layer := 0; layer < layersMax; layer++ {
		if layer >= s.layersBefore {
			if sum, remains := k.add(x, start(place)); !remains {
				t.floats.Add(sum)
				s.layersBefore = layer
				return
			}
		}
		sum, remains := k.peel(x, start(place))
		t.floats.Add(sum)
		if !remains {
			s.layersBefore = layer
			return
		}
		place = nextPlace(place)
	}
	s.layersBefore, s.oneByOne = layersMax, oneByOneBlocks
	t.floats.AddSlice(x)
}

// oneByOneBlocks is how many blocks are added value by value after one that had too many layers: the
// layers are tried again, but cost little if they are in vain. The sum is the same either way.
const oneByOneBlocks = 15

// An accumulator's place is its exponent: it begins at start(place) = 1.5 * 2^place, and its unit
// is 2^(place-52). The arithmetic is exact if no lane leaves the binade, and if the lanes add up to
// at most 2^53 units. For up to blockValues = 2^10 values of magnitude at most 2^e, place = e+10
// suffices. A lane adds at most 128 of them, so it moves by little more than 2^(e+7). All of them
// together make at most 2^(e+10) and 2^9 units, while 2^53 units are 2^(e+11).
const (
	placeAbove = 10
	placeMin   = -1022
	placeMax   = 1023
)

func start(place int) float64 {
	return math.Float64frombits(uint64(place+1023)<<52 | 1<<51)
}

// startPlace returns the place for values up to this magnitude.
func startPlace(magnitude float64) int {
	return max(exponentOf(magnitude), 1) - 1023 + 1 + placeAbove
}

// exponentOf returns the biased exponent (by 1023) of a float64 that is not negative: 0 for zero
// and subnormal numbers, 0x7ff for infinities.
func exponentOf(magnitude float64) int { return int(math.Float64bits(magnitude) >> 52) }

// sumIsExact reports whether the float64 additions of a block of float32 were exact. They are
// unless a value is so small beside the greatest one that the sum cannot hold its last bit, which
// is 23 places below its first. The sum of values below 2^e is at most 2^(e+10).
func sumIsExact(magnitude, smallest float64) bool {
	return exponentOf(magnitude)+1+placeAbove-(exponentOf(smallest)-23) <= 53
}

// nextPlace returns the place for the remainders, which are at most half a unit of the accumulator
// before. At the lowest place the unit is the smallest float64, and nothing remains.
func nextPlace(place int) int { return max(place-53+placeAbove, placeMin) }

// total adds integers modulo 2^64.
func total[T int32 | uint32 | int64 | uint64](lanes []T) (sum uint64) {
	for _, v := range lanes {
		sum += uint64(v)
	}
	return sum
}

// byteSwap holds, for values of 1<<i bytes, the index from which each byte of a vector comes when
// the bytes of all values are reversed, within groups of 16 bytes.
var byteSwap = func() (table [4][64]int8) {
	for i := range table {
		for place := range table[i] {
			table[i][place] = int8(place%16 ^ (1<<i - 1))
		}
	}
	return table
}()
