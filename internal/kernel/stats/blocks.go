//go:build goexperiment.simd && (amd64 || arm64)

package stats

import (
	"math"
	"math/bits"
	"slices"
)

// kernels are what an instruction set has to bring. Their arguments are whole steps, of
// stepBytes bytes or stepValues floats.
type kernels struct {
	// ints finds the ends and the sum of integers, by the logarithm of the width.
	ints [4]func(b []byte, bias uint64, bigEndian bool) lanes

	// decode32 and decode64 put the floats of b into x, as long as b has values, and find
	// the ends, among which NaNs are.
	decode32, decode64 func(x []float64, b []byte, bigEndian bool) lanes

	// withoutNaN puts zeros in the place of NaNs, counts these, and finds the ends of the
	// other values.
	withoutNaN func(x []float64) (nan int, ends lanes)

	// peel takes a layer off x, and add returns its sum only: for the last one, of which
	// nothing remains.
	peel, add func(x []float64, start float64) (sum float64, remains bool)
}

const (
	stepBytes  = 128
	stepValues = 32
)

// lanes is what a kernel found in its argument: least and greatest value, and the sum, of
// which sum32 counts 2 to the power of 32. Integers are biased. Floats are given as the
// float64 ranks of the ends, and are not added up.
type lanes struct {
	least, greatest uint64
	sum, sum32      uint64
}

// addVectors has the kernels do whole steps, and the plain form the rest.
func addVectors(s *scratch, c column, b []byte, k *kernels) {
	width := c.typ.Width()
	if c.typ.Float() {
		decode := k.decode64
		if width == 4 {
			decode = k.decode32
		}
		for len(b) >= stepValues*width {
			n := min(len(b)/width&^(stepValues-1), blockValues)
			x := s.block[:n]
			ends := decode(x, b[:n*width], c.typ.BigEndian())
			b = b[n*width:]
			s.addBlock(x, ends, k)
		}
	} else if whole := len(b) &^ (stepBytes - 1); whole > 0 {
		found := k.ints[bits.TrailingZeros(uint(width))](b[:whole], c.bias, c.typ.BigEndian())
		b = b[whole:]
		s.parts.n += uint64(whole / width)
		s.parts.bound(found.least, found.greatest)
		s.parts.ints.AddUint64(found.sum)
		s.parts.ints.MulAddUint64(1<<32, found.sum32)
	}
	addPlain(s, c, b)
}

// layersMax is how often remainders are peeled off before they are added one by one: three
// layers hold the values of a block whose exponents differ by up to 70 or so.
const layersMax = 3

// addBlock adds the values of x, whole steps with these ends, and leaves x without meaning.
func (s *scratch) addBlock(x []float64, ends lanes, k *kernels) {
	t := &s.parts
	t.n += uint64(len(x))
	if lowest, highest := rank(math.Inf(-1)), rank(math.Inf(1)); ends.least < lowest || ends.greatest > highest {
		nan := 0
		nan, ends = k.withoutNaN(x)
		t.nan += uint64(nan)
		if nan == len(x) {
			return
		}
	}
	t.bound(ends.least, ends.greatest)
	magnitude := max(math.Abs(ranked(ends.least)), math.Abs(ranked(ends.greatest)))
	place := startPlace(magnitude)
	if place > placeMax {
		t.floats.AddSlice(x)
		return
	}
	// Most blocks have as many layers as the one before. Which kernel takes off a layer
	// changes no sum.
	for layer := range layersMax {
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
	s.layersBefore = layersMax
	t.floats.AddSlice(x)
}

// An accumulator's place is its exponent: it begins at start(place) = 1.5 * 2^place, and
// its unit is 2^(place-52). All is exact if no lane leaves the binade, and if the lanes add
// up to at most 2^53 units. For up to blockValues = 2^10 values below 2^e, or equal,
// place = e+10 is enough. A lane takes at most 128 of them, so it moves by 2^(e+7) and a
// little, and all of them make at most 2^(e+10) and 2^9 units, while 2^53 units are
// 2^(e+11).
const (
	placeAbove = 10
	placeMin   = -1022
	placeMax   = 1023
)

func start(place int) float64 {
	return math.Float64frombits(uint64(place+1023)<<52 | 1<<51)
}

// startPlace returns the place for values up to the magnitude.
func startPlace(magnitude float64) int {
	exponent := int(math.Float64bits(magnitude) >> 52) // biased by 1023; 0x7ff for infinities
	return max(exponent, 1) - 1023 + 1 + placeAbove
}

// nextPlace returns the place for what remains: at most half a unit of the accumulator
// before. At the lowest place the unit is that of the smallest float64, and nothing remains.
func nextPlace(place int) int { return max(place-53+placeAbove, placeMin) }

// rankOf32 returns the float64 rank of a float32 from its key: the bits, where they are
// negative flipped but for the sign.
func rankOf32(key int32) uint64 {
	raw := uint32(key) ^ uint32(key>>31)>>1
	return rank(float64(math.Float32frombits(raw)))
}

// endsOf32 and endsOf64 return the ends of lanes of keys, see rankOf32.
func endsOf32(least, greatest []int32) lanes {
	return lanes{least: rankOf32(slices.Min(least)), greatest: rankOf32(slices.Max(greatest))}
}

func endsOf64(least, greatest []int64) lanes {
	return lanes{
		least:    uint64(slices.Min(least)) ^ signBit,
		greatest: uint64(slices.Max(greatest)) ^ signBit,
	}
}

func total[T int32 | uint32 | int64 | uint64](lanes []T) (sum uint64) {
	for _, v := range lanes {
		sum += uint64(v)
	}
	return sum
}

// byteSwap holds, for values of 1<<i bytes, the place from which each byte of a vector
// comes when the bytes of all values are reversed, within groups of 16 bytes.
var byteSwap = func() (table [4][64]int8) {
	for i := range table {
		for place := range table[i] {
			table[i][place] = int8(place%16 ^ (1<<i - 1))
		}
	}
	return table
}()
