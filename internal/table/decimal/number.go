package decimal

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Kind classifies the text of a number.
type Kind uint8

const (
	// Plain is an exact decimal. In Numbers, it also fits Mantissa at the batch's scale.
	Plain Kind = iota
	// Missing is an empty field.
	Missing
	// Irregular is a number that is not Plain: one with an exponent, an infinity and, in Numbers, also a
	// decimal with too many digits. Parse returns its value.
	Irregular
	// Bad is text that is not a number, or a number with an exponent that is beyond the range of
	// float64. Reason tells which.
	Bad
)

// Number is an exact decimal of any length, or a float64. The zero Number is 0. A Number is
// immutable and may be copied.
type Number struct {
	large    *big.Int // the mantissa, if not nil
	mantissa int64    // the mantissa otherwise, or the bits of a float64
	scale    int32    // an exact decimal is mantissa * 10^-scale
	float    bool
}

// smallDigits is the number of digits that always fit in an int64.
const smallDigits = 18

// FromPlain returns the exact decimal m * 10^-scale. The scale is not negative.
func FromPlain(m int64, scale int) Number { return Number{mantissa: m, scale: int32(scale)} }

// FromFloat returns f as a Number; -0 becomes 0.
func FromFloat(f float64) Number {
	return Number{mantissa: int64(math.Float64bits(f + 0)), float: true}
}

// FromBig returns the exact decimal m * 10^-scale. The scale is not negative, and m must not change.
func FromBig(m *big.Int, scale int) Number {
	if m.IsInt64() {
		return FromPlain(m.Int64(), scale)
	}
	return Number{large: m, scale: int32(scale)}
}

// Parse parses a field. An exact decimal of any length is Plain. A number with an exponent is
// Irregular, and its value is the nearest float64. So are +Inf and -Inf, as Text writes them. Parse does not keep
// field.
func Parse(field []byte) (Number, Kind) {
	if len(field) == 0 {
		return Number{}, Missing
	}
	field = trim(field)
	s := shapeOf(field)
	switch {
	case !s.number:
		return FromFloat(infinities[string(field)]), kindOfInfinity(field)
	case s.exponent:
		f, _ := strconv.ParseFloat(string(field), 64)
		if math.IsInf(f, 0) {
			return Number{}, Bad
		}
		return FromFloat(f), Irregular
	case s.digits <= smallDigits, s.digits == wordDigits && s.mantissa <= math.MaxInt64:
		return FromPlain(int64(s.mantissa^s.sign-s.sign), s.decimals), Plain
	}
	return parseLarge(field, s), Plain
}

// infinities are the float64 that have no digits.
var infinities = map[string]float64{"+Inf": math.Inf(1), "-Inf": math.Inf(-1)}

func kindOfInfinity(field []byte) Kind {
	if _, ok := infinities[string(field)]; ok {
		return Irregular
	}
	return Bad
}

// Reason says why a field is Bad. In a message, the text follows the field.
func Reason(field []byte) string {
	if s := shapeOf(trim(field)); s.number && s.exponent {
		return "is beyond the range of a 64-bit float"
	}
	return "is not a number"
}

// shape is what one pass over the text of a number finds.
type shape struct {
	number   bool
	exponent bool
	digits   int    // before the exponent, without leading zeros
	decimals int    // digits after the point
	mantissa uint64 // the value of all digits, if there are at most wordDigits
	sign     uint64 // all ones for a negative number: m^sign-sign applies the sign
}

// shapeOf analyses text that has no spaces around it.
func shapeOf(text []byte) (s shape) {
	i := 0
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		if text[i] == '-' {
			s.sign = math.MaxUint64
		}
		i++
	}
	first, point := i, -1
	for ; i < len(text); i++ {
		digit := text[i] - '0'
		if digit <= 9 {
			if s.digits > 0 || digit > 0 {
				s.digits++
			}
			s.mantissa = s.mantissa*10 + uint64(digit)
			continue
		}
		if text[i] != '.' || point >= 0 {
			break
		}
		point = i
	}
	any := i - first
	if point >= 0 {
		any--
		s.decimals = i - point - 1
	}
	if any == 0 {
		return s
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		s.exponent = true
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		first = i
		for i < len(text) && text[i]-'0' <= 9 {
			i++
		}
		if i == first {
			return s
		}
	}
	s.number = i == len(text)
	return s
}

func parseLarge(text []byte, s shape) Number {
	digits := make([]byte, 0, len(text))
	for _, c := range text {
		if c != '.' && c != '+' {
			digits = append(digits, c)
		}
	}
	m, ok := new(big.Int).SetString(string(digits), 10)
	if !ok {
		panic("thresh: bug: digits that are not an integer")
	}
	return FromBig(m, s.decimals)
}

// IsFloat reports whether n is a float64 rather than an exact decimal.
func (a Number) IsFloat() bool { return a.float }

// Decimals returns how many digits after the point an exact decimal was written with, and 0 for
// a float64.
func (a Number) Decimals() int { return int(a.scale) }

// Compare returns -1, 0 or +1 if a is less than, equal to or greater than b. It compares the
// exact values, also those of a decimal and a float64.
func (a Number) Compare(b Number) int {
	if a.scale == b.scale && a.large == nil && b.large == nil && !a.float && !b.float {
		return cmp.Compare(a.mantissa, b.mantissa)
	}
	if a.float && b.float {
		return cmp.Compare(a.asFloat(), b.asFloat())
	}
	// Rounding to the nearest float64 keeps the order. So only numbers that round to the same
	// float64 need an exact comparison.
	if c := cmp.Compare(a.Float64(), b.Float64()); c != 0 {
		return c
	}
	if a.infinite() || b.infinite() {
		// A decimal beyond the range of float64 rounds to infinity, but is finite.
		return a.compareInfinite(b)
	}
	if !a.float && !b.float {
		return a.compareDecimal(b)
	}
	return a.Rat().Cmp(b.Rat())
}

func (a Number) infinite() bool { return a.float && math.IsInf(a.asFloat(), 0) }

// compareInfinite compares two numbers that round to the same infinity, if at least one of them
// is that infinity.
func (a Number) compareInfinite(b Number) int {
	sign := 1
	if math.IsInf(a.Float64(), -1) {
		sign = -1
	}
	switch {
	case a.infinite() && b.infinite():
		return 0
	case a.infinite():
		return sign
	}
	return -sign
}

func (a Number) compareDecimal(b Number) int {
	x, y := a.bigMantissa(), b.bigMantissa()
	if a.scale < b.scale {
		x = new(big.Int).Mul(x, powerOfTen(int(b.scale-a.scale)))
	} else {
		y = new(big.Int).Mul(y, powerOfTen(int(a.scale-b.scale)))
	}
	return x.Cmp(y)
}

// Before orders numbers for answers that must not depend on the order of arrival. It orders by
// value; of equal values, the exact decimal comes before the float64, because the two may be
// printed differently.
func (a Number) Before(b Number) bool {
	c := a.Compare(b)
	return c < 0 || c == 0 && !a.float && b.float
}

// Float64 returns the float64 nearest to the number; ties go to the even one. A decimal beyond
// the range of float64 becomes an infinity.
func (a Number) Float64() float64 {
	if a.float {
		return a.asFloat()
	}
	// The quotient of two exact float64 is correctly rounded.
	const exactMax = 1 << 53
	if a.large == nil && a.mantissa >= -exactMax && a.mantissa <= exactMax && a.scale <= smallDigits {
		return float64(a.mantissa) / float64(tens[a.scale])
	}
	var room [64]byte
	f, _ := strconv.ParseFloat(string(a.appendExponent(room[:0])), 64)
	return f
}

// appendExponent appends the decimal as MANTISSAe-SCALE, which strconv parses without loss.
func (a Number) appendExponent(b []byte) []byte {
	if a.large != nil {
		b = a.large.Append(b, 10)
	} else {
		b = strconv.AppendInt(b, a.mantissa, 10)
	}
	return strconv.AppendInt(append(b, 'e'), -int64(a.scale), 10)
}

func (a Number) asFloat() float64 { return math.Float64frombits(uint64(a.mantissa)) }

func (a Number) bigMantissa() *big.Int {
	if a.large != nil {
		return a.large
	}
	return big.NewInt(a.mantissa)
}

// Rat returns the exact value. The number must not be infinite.
func (a Number) Rat() *big.Rat {
	if a.float {
		r := new(big.Rat).SetFloat64(a.asFloat())
		if r == nil {
			panic("thresh: bug: an infinity has no fraction")
		}
		return r
	}
	return new(big.Rat).SetFrac(a.bigMantissa(), powerOfTen(int(a.scale)))
}

// Mantissa returns value * 10^scale, rounded down, and whether that needed no rounding. ok is
// false if the result does not fit in an int64. The result allows comparing the number with
// Plain numbers of that scale as integers.
func (a Number) Mantissa(scale int) (floor int64, exact, ok bool) {
	if !a.float && a.large == nil && int(a.scale) <= scale && scale-int(a.scale) <= smallDigits {
		high, low := bits.Mul64(magnitude(a.mantissa), tens[scale-int(a.scale)])
		if high != 0 || low > math.MaxInt64 {
			return 0, false, false
		}
		if a.mantissa < 0 {
			return -int64(low), true, true
		}
		return int64(low), true, true
	}
	if more := int(a.scale) - scale; !a.float && a.large == nil && more > 0 && more <= smallDigits {
		floor = a.mantissa / int64(tens[more])
		rest := a.mantissa % int64(tens[more])
		return floor + rest>>63, rest == 0, true
	}
	if a.infinite() {
		return 0, false, false
	}
	r := a.Rat()
	r.Mul(r, new(big.Rat).SetInt(powerOfTen(scale)))
	// Div is Euclidean: with a positive divisor it rounds down.
	quotient, rest := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	if !quotient.IsInt64() {
		return 0, false, false
	}
	return quotient.Int64(), rest.Sign() == 0, true
}

func magnitude(m int64) uint64 {
	if m < 0 {
		return -uint64(m)
	}
	return uint64(m)
}

// tens are the powers of ten up to 10^smallDigits.
var tens = [smallDigits + 1]uint64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
}

func powerOfTen(n int) *big.Int {
	if n <= smallDigits {
		return new(big.Int).SetUint64(tens[n])
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}
