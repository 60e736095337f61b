package compare

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// A float has a sign bit, exponentBits of exponent, and a mantissa. All types are as IEEE 754 lays
// them out, except for those that are finite, as f8e4m3: they use their highest exponent for numbers,
// too. They have no infinities, and their only NaN, of either sign, has all bits of exponent and
// mantissa set. f8e4m3 is the type that ml_dtypes and the Open Compute Project call e4m3fn.

// finite marks the exponent of types whose highest exponent is that of numbers.
const finite = 1 << 7

func (t Type) exponentBits() int { return int(t.exponent &^ finite) }

func (t Type) mantissaBits() int { return 8*t.width - 1 - t.exponentBits() }

// exponentBias is what is added to the exponent of a float.
func (t Type) exponentBias() int { return 1<<(t.exponentBits()-1) - 1 }

// HasInf reports whether values may be infinite.
func (t Type) HasInf() bool { return t.Float() && t.exponent&finite == 0 }

// Narrow reports whether values are floats of 8 or 16 bits.
func (t Type) Narrow() bool { return t.Float() && t.width <= 2 }

// highest returns the bits of the highest value that is not NaN: +Inf, or 448.
func (t Type) highest() uint64 {
	if t.HasInf() {
		return (1<<t.exponentBits() - 1) << t.mantissaBits()
	}
	return t.maxRank()>>1 - 1
}

// Largest returns the largest finite value of a float type.
func (t Type) Largest() float64 {
	if t.HasInf() {
		return t.Value(t.highest() - 1)
	}
	return t.Value(t.highest())
}

// Value returns the float with these bits.
func (t Type) Value(raw uint64) float64 {
	switch t.width {
	case 4:
		return float64(math.Float32frombits(uint32(raw)))
	case 8:
		return math.Float64frombits(raw)
	}
	magnitude := raw & (t.maxRank() >> 1)
	mantissa := magnitude & (1<<t.mantissaBits() - 1)
	exponent := int(magnitude >> t.mantissaBits())
	var v float64
	switch highest := t.highest(); {
	case magnitude > highest:
		v = math.NaN()
	case magnitude == highest && t.HasInf():
		v = math.Inf(1)
	case exponent == 0:
		v = math.Ldexp(float64(mantissa), 1-t.exponentBias()-t.mantissaBits())
	default:
		v = math.Ldexp(float64(mantissa|1<<t.mantissaBits()), exponent-t.exponentBias()-t.mantissaBits())
	}
	if raw&t.signBit() != 0 {
		v = math.Copysign(v, -1)
	}
	return v
}

// bits returns the bits of a value of a float type that is not NaN.
func (t Type) bits(v float64) uint64 {
	switch t.width {
	case 4:
		return uint64(math.Float32bits(float32(v)))
	case 8:
		return math.Float64bits(v)
	}
	var raw uint64
	switch magnitude := math.Abs(v); {
	case math.IsInf(v, 0):
		raw = t.highest()
	case magnitude != 0:
		exponent := max(math.Ilogb(magnitude), 1-t.exponentBias())
		raw = uint64(math.Ldexp(magnitude, t.mantissaBits()-exponent)) // a subnormal has no leading one
		raw += uint64(exponent+t.exponentBias()-1) << t.mantissaBits()
	}
	if math.Signbit(v) {
		raw |= t.signBit()
	}
	return raw
}

// narrowed rounds a number to the nearest value of a narrow type, halves to the even mantissa, and
// to an infinity if it is too large.
func (t Type) narrowed(v float64) float64 {
	if v == 0 || v-v != 0 {
		return v
	}
	exponent := max(math.Ilogb(v), 1-t.exponentBias()) - t.mantissaBits()
	r := math.Ldexp(math.RoundToEven(math.Ldexp(v, -exponent)), exponent)
	if math.Abs(r) > t.Largest() {
		return math.Copysign(math.Inf(1), v)
	}
	return r
}

// parseNarrow returns the value of a narrow type nearest to a number whose nearest float64 is v. The
// number is rounded once: if v lies in the middle between two values, the number itself decides.
func (t Type) parseNarrow(text string, v float64) float64 {
	r := t.narrowed(v)
	if v-v != 0 || r == v {
		return r
	}
	number, ok := new(big.Rat).SetString(text)
	if !ok { // not a syntax that can be off the middle
		return r
	}
	// A number that is not v lies on the side to which a tiny step from v leads.
	if side := number.Cmp(new(big.Rat).SetFloat64(v)); side != 0 {
		return t.narrowed(math.Nextafter(v, math.Inf(side)))
	}
	return r
}

// Format formats a value of a float type with as few digits as distinguish it from others of its
// type, and with an exponent only where people would want one. Whole numbers of narrow types are
// written in full up to a million: the largest f8e4m3 is 448, and not 450.
func (t Type) Format(v float64) string {
	if !t.Narrow() || v-v != 0 || v == math.Trunc(v) && math.Abs(v) < 1e6 {
		return FormatFloat(v, max(8*t.width, 32))
	}
	digits := 0
	for ; digits < 16; digits++ {
		short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits, 64), 64)
		if err == nil && t.narrowed(short) == v {
			v = short
			break
		}
	}
	return FormatFloat(v, 64)
}

// infinite reports whether a number is written as infinity.
func infinite(digits string) bool { return strings.HasPrefix(digits, "inf") }
