package decimal

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Kind says what the text of a number turned out to be.
type Kind uint8

const (
	// Plain is an exact decimal; in Numbers one that fits Mantissa at the batch's scale.
	Plain Kind = iota
	// Missing is an empty field, or one of spaces and tabs alone.
	Missing
	// Odd is a number that is not Plain. Parse calls so what has an exponent; in Numbers it is
	// also a decimal of too many digits. Parse knows its value.
	Odd
	// Bad is text that is not a number, or a number beyond the range of float64 that is
	// written with an exponent. Reason tells which.
	Bad
)

// Number is one number: an exact decimal of any length, or a float64. The zero Number is 0.
// A Number is a value: it may be copied, and nothing changes what it refers to.
type Number struct {
	large    *big.Int // the mantissa, if not nil
	mantissa int64    // the mantissa otherwise, or the bits of a float64
	scale    int32    // an exact decimal is mantissa * 10^-scale
	float    bool
}

// smallDigits: a mantissa with as many digits fits an int64, whatever they are.
const smallDigits = 18

// FromPlain returns the exact decimal m * 10^-scale. The scale is not negative.
func FromPlain(m int64, scale int) Number { return Number{mantissa: m, scale: int32(scale)} }

// FromFloat returns f as a Number; -0 becomes 0.
func FromFloat(f float64) Number {
	return Number{mantissa: int64(math.Float64bits(f + 0)), float: true}
}

func fromBig(m *big.Int, scale int) Number {
	if m.IsInt64() {
		return FromPlain(m.Int64(), scale)
	}
	return Number{large: m, scale: int32(scale)}
}

// Parse reads the number that a field is: an exact decimal is Plain however long it is, a
// number with an exponent is Odd and the nearest float64. It keeps nothing of field.
func Parse(field []byte) (Number, Kind) {
	field = trim(field)
	if len(field) == 0 {
		return Number{}, Missing
	}
	s := shapeOf(field)
	switch {
	case !s.number:
		return Number{}, Bad
	case s.exponent:
		f, _ := strconv.ParseFloat(string(field), 64)
		if math.IsInf(f, 0) {
			return Number{}, Bad
		}
		return FromFloat(f), Odd
	case s.digits <= smallDigits:
		return FromPlain(int64(s.mantissa^s.sign-s.sign), s.decimals), Plain
	}
	return parseLarge(field, s), Plain
}

// Reason says why a field is Bad, in words that go behind the field in a message.
func Reason(field []byte) string {
	if s := shapeOf(trim(field)); s.number && s.exponent {
		return "is beyond the range of a 64-bit float"
	}
	return "is not a number"
}

// shape is what one walk over a number's text finds.
type shape struct {
	number   bool
	exponent bool
	digits   int    // without leading zeros, as far as the exponent
	decimals int    // digits behind the point
	mantissa uint64 // of all digits, if they are no more than smallDigits
	sign     uint64 // all ones below zero: m^sign-sign has the sign
}

// shapeOf walks over text without spaces around it.
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
		panic("thresh: bug: digits that are no integer")
	}
	return fromBig(m, s.decimals)
}

// IsFloat reports whether n is a float64 rather than an exact decimal.
func (a Number) IsFloat() bool { return a.float }

// Decimals returns how many digits behind the point an exact decimal was written with, and
// 0 for a float64.
func (a Number) Decimals() int { return int(a.scale) }

// Compare returns -1, 0 or +1 as a is less than, equal to or greater than b: the exact
// values, also where one is a decimal and the other a float64.
func (a Number) Compare(b Number) int {
	if a.scale == b.scale && a.large == nil && b.large == nil && !a.float && !b.float {
		return cmp.Compare(a.mantissa, b.mantissa)
	}
	if a.float && b.float {
		return cmp.Compare(a.asFloat(), b.asFloat())
	}
	// To round to the nearest keeps the order, so that only what rounds to the same needs care.
	if c := cmp.Compare(a.Float64(), b.Float64()); c != 0 {
		return c
	}
	if a.infinite() || b.infinite() {
		// A decimal beyond the range of float64 is no infinity.
		return a.compareInfinite(b)
	}
	if !a.float && !b.float {
		return a.compareDecimal(b)
	}
	return a.Rat().Cmp(b.Rat())
}

func (a Number) infinite() bool { return a.float && math.IsInf(a.asFloat(), 0) }

// compareInfinite compares numbers that round to the same infinity, of which one is it.
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

// Before orders numbers for answers that must not depend on the order of arrival: by value,
// and of equal values the exact decimal, which may be printed otherwise, before the float64.
func (a Number) Before(b Number) bool {
	c := a.Compare(b)
	return c < 0 || c == 0 && !a.float && b.float
}

// Float64 returns the float64 nearest to the number, of two the even one; a decimal beyond
// the range of float64 is an infinity.
func (a Number) Float64() float64 {
	if a.float {
		return a.asFloat()
	}
	// Two float64 that are exact divide into the nearest quotient.
	const exactMax = 1 << 53
	if a.large == nil && a.mantissa >= -exactMax && a.mantissa <= exactMax && a.scale <= smallDigits {
		return float64(a.mantissa) / float64(tens[a.scale])
	}
	var room [64]byte
	f, _ := strconv.ParseFloat(string(a.appendExponent(room[:0])), 64)
	return f
}

// appendExponent appends the decimal as MANTISSAe-SCALE, which strconv reads without loss.
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

// Rat returns the exact value of what is not infinite.
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

// Mantissa returns value * 10^scale, rounded down, and whether it is an integer as it
// stands; ok is false if it does not fit an int64. So a number compares with a Plain one
// of that scale as integers do.
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

// tens are the powers of ten that fit an int64.
var tens = [smallDigits + 1]uint64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
}

func powerOfTen(n int) *big.Int {
	if n <= smallDigits {
		return new(big.Int).SetUint64(tens[n])
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}
