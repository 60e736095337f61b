package exact

import (
	"math"
	"math/big"
	"math/bits"
)

const (
	mantissaBits = 52 // stored bits; normal numbers have one more
	exponentMax  = 0x7ff
	chunkBits    = 32

	// All float64 are multiples of 2^-1074. The largest has its highest bit 2097 places above that,
	// and 2^63 of them 2160 places. 68 chunks hold these and the sign.
	unitExponent = -1074
	chunks       = 68

	// An addition changes a chunk by less than 2^53, and a merge leaves one chunk below
	// (2*pendingMax + 2) * 2^53, which is less than 2^63 with room for a carry.
	pendingMax = 500
)

// Float is an exact sum of float64; the zero Float is the empty sum, 0. It is the small
// superaccumulator of Radford M. Neal, "Fast exact summation using small and large
// superaccumulators" (2015, arXiv 1505.05571).
//
// The sum is a fixed-point number in chunks of 32 bits, each in a signed word of 64. The mantissa
// of an addend, shifted by its exponent, spans two neighbouring chunks and is added to them or
// subtracted from them. The upper half of a word collects carries, so carries are propagated only
// once in several hundred additions.
type Float struct {
	chunk [chunks]int64 // the sum of all chunk[i] * 2^(32*i + unitExponent)

	// pending bounds the carries not propagated yet: |chunk[i]| < (pending+1) * 2^53.
	pending int

	posInf, negInf, nan bool
}

// Add adds x. Infinities add up as in IEEE 754: those of different signs make NaN. Zeros have no
// sign here; a sum of 0 is +0.
func (f *Float) Add(x float64) { f.AddSlice([]float64{x}) }

// AddSlice adds all of x.
func (f *Float) AddSlice(x []float64) {
	for len(x) > 0 {
		if f.pending == pendingMax {
			f.carry()
		}
		n := min(len(x), pendingMax-f.pending)
		f.addPending(x[:n])
		f.pending += n
		x = x[n:]
	}
}

// addPending adds values without propagating carries.
func (f *Float) addPending(x []float64) {
	for _, v := range x {
		raw := math.Float64bits(v)
		exponent := raw >> mantissaBits & exponentMax
		mantissa := raw & (1<<mantissaBits - 1)
		switch exponent {
		case exponentMax:
			f.addSpecial(v)
			continue
		case 0:
			exponent = 1 // subnormal numbers have the place of the lowest normal ones
		default:
			mantissa |= 1 << mantissaBits
		}
		place := exponent - 1
		shift := place % chunkBits
		low := int64(mantissa << shift & (1<<chunkBits - 1))
		high := int64(mantissa >> ((chunkBits - shift) & 63))
		sign := int64(raw) >> 63    // -1 or 0; v^-1 - -1 is -v
		i := place / chunkBits & 63 // at most 63 anyway, and so the compiler knows
		f.chunk[i] += low ^ sign - sign
		f.chunk[i+1] += high ^ sign - sign
	}
}

func (f *Float) addSpecial(x float64) {
	switch {
	case x != x:
		f.nan = true
	case x > 0:
		f.posInf = true
	default:
		f.negInf = true
	}
}

// Merge adds the sum of o, and leaves o unchanged. The result is the same as if one Float had added
// all values.
func (f *Float) Merge(o *Float) {
	for i, v := range o.chunk {
		f.chunk[i] += v
	}
	f.posInf = f.posInf || o.posInf
	f.negInf = f.negInf || o.negInf
	f.nan = f.nan || o.nan
	if f.pending += o.pending + 1; f.pending > pendingMax {
		f.carry()
	}
}

// carry propagates carries, so that all chunks are in [0, 2^32) except the last, which has the sign
// of the sum.
func (f *Float) carry() {
	var carry int64
	for i := range chunks - 1 {
		v := f.chunk[i] + carry
		f.chunk[i] = v & (1<<chunkBits - 1)
		carry = v >> chunkBits
	}
	f.chunk[chunks-1] += carry
	f.pending = 0
}

// Round returns the float64 nearest to the sum, ties to even, or an infinity if the sum is too
// large.
func (f *Float) Round() float64 {
	if special, ok := f.special(); ok {
		return special
	}
	sum := *f
	negative := sum.abs()
	magnitude := math.Float64frombits(sum.round())
	if negative {
		return -magnitude
	}
	return magnitude
}

// special returns the sum if infinities or NaNs decide it.
func (f *Float) special() (sum float64, ok bool) {
	switch {
	case f.nan || f.posInf && f.negInf:
		return math.NaN(), true
	case f.posInf:
		return math.Inf(1), true
	case f.negInf:
		return math.Inf(-1), true
	}
	return 0, false
}

// abs replaces the sum by its magnitude, with all carries propagated, and reports whether it was
// negative.
func (f *Float) abs() (negative bool) {
	f.carry()
	if f.chunk[chunks-1] >= 0 {
		return false
	}
	for i := range f.chunk {
		f.chunk[i] = -f.chunk[i]
	}
	f.carry()
	return true
}

// round returns the bits of the float64 nearest to a sum prepared by abs.
//
// The bits of a float64, read as an integer, count the float64 from 0 upwards. So a sum below 2^53
// units is its own bits. Otherwise the binade's number is put above the 53 highest bits of the sum
// and the two are added: the highest bit carries into the exponent, and so does a mantissa rounded
// up to the next power of two.
func (f *Float) round() uint64 {
	top := chunks - 1
	for top > 0 && f.chunk[top] == 0 {
		top--
	}
	var upper uint64 // the two highest chunks
	if top > 0 {
		upper = uint64(f.chunk[top])<<chunkBits | uint64(f.chunk[top-1])
	} else {
		upper = uint64(f.chunk[0])
	}
	if top <= 1 && upper < 1<<(mantissaBits+1) {
		return upper
	}
	var next uint64
	if top > 1 {
		next = uint64(f.chunk[top-2])
	}
	zeros := bits.LeadingZeros64(upper)
	window := upper<<zeros | next<<chunkBits>>(64-zeros) // the 64 highest bits of the sum
	sticky := next<<chunkBits<<zeros != 0
	for i := 0; i < top-2; i++ {
		sticky = sticky || f.chunk[i] != 0
	}
	const droppedBits = 64 - (mantissaBits + 1)
	mantissa, dropped := window>>droppedBits, window&(1<<droppedBits-1)
	const half = 1 << (droppedBits - 1)
	if dropped > half || dropped == half && (sticky || mantissa&1 == 1) {
		mantissa++
	}
	binade := uint64(chunkBits*(top-1) + droppedBits - zeros)
	return min(binade<<mantissaBits+mantissa, exponentMax<<mantissaBits)
}

// Rat returns the sum as a fraction, or false if it is infinite or NaN.
func (f *Float) Rat() (*big.Rat, bool) {
	if _, ok := f.special(); ok {
		return nil, false
	}
	sum := *f
	negative := sum.abs()
	units, chunk := new(big.Int), new(big.Int)
	for i := chunks - 1; i >= 0; i-- {
		units.Lsh(units, chunkBits)
		units.Add(units, chunk.SetInt64(sum.chunk[i]))
	}
	if negative {
		units.Neg(units)
	}
	one := new(big.Int).Lsh(big.NewInt(1), -unitExponent)
	return new(big.Rat).SetFrac(units, one), true
}
