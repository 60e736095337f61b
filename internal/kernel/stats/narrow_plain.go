package stats

import "math"

// bfloat reports whether the floats are bf16, which are the upper half of a float32.
func (c column) bfloat() bool { return c.typ.Largest() > 0x1p16 }

// half32 holds the bits of a float32 that an f16 fills, if its fields are moved to those of the
// float32: sign, the lower five bits of the exponent, the upper ten of the mantissa. That number is
// 2^-112 of the f16, since the exponents are biased by 15 and 127; subnormal numbers included.
const (
	half32      = 0x8fffe000
	half32Scale = 0x1p112
)

// widen returns the value of a float of 16 bits.
func widen(raw uint16, bfloat bool) float64 {
	switch {
	case bfloat:
		return float64(math.Float32frombits(uint32(raw) << 16))
	case raw&0x7c00 == 0x7c00: // infinities and NaNs
		return float64(math.Float32frombits(uint32(raw&0x8000)<<16 | 0xff<<23 | uint32(raw&0x3ff)<<13))
	}
	return float64(math.Float32frombits(uint32(int32(raw)<<16>>3)&half32)) * half32Scale
}

// infinities returns how many of the floats are infinite.
func infinities(x []float64) (n uint64) {
	for _, v := range x {
		if math.IsInf(v, 0) {
			n++
		}
	}
	return n
}

// addFloatBytes adds floats of 8 bits. They have 256 values, so counting how often each occurs is all there is to do.
// The products are exact: a value has at most four significant bits, and a piece fewer than 2^20 values.
func addFloatBytes(t *totals, c column, b []byte) {
	counts := countBytes(b)
	t.n += uint64(len(b))
	for char, n := range counts {
		if n == 0 {
			continue
		}
		v := c.typ.Value(uint64(char))
		if v != v {
			t.nan += n
			continue
		}
		if math.IsInf(v, 0) {
			t.inf += n
		}
		t.bound(rank(v), rank(v))
		t.floats.Add(v * float64(n))
	}
}
