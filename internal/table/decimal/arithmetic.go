package decimal

import (
	"math"
	"math/big"
	"math/bits"
)

// Arithmetic of exact decimals is exact, except that a quotient may have to be rounded. If a
// factor or a term is a float64, the result is the float64 nearest to the exact result; it may be
// an infinity. With an infinity, numbers are computed as IEEE 754 says; the result may be none, as IsNaN tells.

// Add returns a + b.
func (a Number) Add(b Number) Number {
	if a.float || b.float {
		return a.rounded(b, (*big.Rat).Add, func(x, y float64) float64 { return x + y })
	}
	if a.large == nil && b.large == nil && a.scale == b.scale {
		if sum := a.mantissa + b.mantissa; (a.mantissa^sum)&(b.mantissa^sum) >= 0 {
			return FromPlain(sum, int(a.scale))
		}
	}
	scale := max(a.scale, b.scale)
	return FromBig(new(big.Int).Add(a.mantissaAt(scale), b.mantissaAt(scale)), int(scale))
}

// Sub returns a - b.
func (a Number) Sub(b Number) Number { return a.Add(b.Neg()) }

// Neg returns -a.
func (a Number) Neg() Number {
	switch {
	case a.float:
		return FromFloat(-a.asFloat())
	case a.large == nil && -a.mantissa != a.mantissa:
		return FromPlain(-a.mantissa, int(a.scale))
	}
	return FromBig(new(big.Int).Neg(a.bigMantissa()), int(a.scale))
}

// Abs returns the magnitude of a.
func (a Number) Abs() Number {
	if a.Compare(Number{}) < 0 {
		return a.Neg()
	}
	return a
}

// Mul returns a * b.
func (a Number) Mul(b Number) Number {
	if a.float || b.float {
		return a.rounded(b, (*big.Rat).Mul, func(x, y float64) float64 { return x * y })
	}
	scale := int(a.scale) + int(b.scale)
	if a.large == nil && b.large == nil {
		high, low := bits.Mul64(magnitude(a.mantissa), magnitude(b.mantissa))
		if high == 0 && int64(low) >= 0 {
			m := int64(low)
			if (a.mantissa < 0) != (b.mantissa < 0) {
				m = -m
			}
			return FromPlain(m, scale)
		}
	}
	return FromBig(new(big.Int).Mul(a.bigMantissa(), b.bigMantissa()), scale)
}

// QuotientDigits is how many significant digits a quotient of exact decimals has at most, except
// that it is never rounded before the point.
const QuotientDigits = 18

// Quo returns a / b. A quotient of exact decimals that has more than QuotientDigits significant
// digits is rounded, a tie to the even digit. ok is false if b is 0.
func (a Number) Quo(b Number) (q Number, ok bool) {
	if b.Compare(Number{}) == 0 {
		return Number{}, false
	}
	if a.float || b.float {
		return a.rounded(b, (*big.Rat).Quo, func(x, y float64) float64 { return x / y }), true
	}
	if a.sign() == 0 {
		return Number{}, true
	}
	if q, ok = a.wordQuotient(b); ok {
		return q, true
	}
	// The quotient of the mantissas lies between 10^(n-1) and 10^(n+1).
	n := digitsOf(a.bigMantissa()) - digitsOf(b.bigMantissa())
	before := n - int(a.scale) + int(b.scale) // digits before the point, perhaps one more
	scale := max(QuotientDigits-before, 0)
	q = quotient(a, b, scale)
	if more := digitsOf(q.bigMantissa()) - QuotientDigits; more > 0 && scale > 0 {
		q = quotient(a, b, max(scale-more, 0))
	}
	return q, true
}

// quotient returns a / b with scale digits after the point.
func quotient(a, b Number, scale int) Number {
	top, bottom := a.bigMantissa(), b.bigMantissa()
	if shift := scale - int(a.scale) + int(b.scale); shift >= 0 {
		top = new(big.Int).Mul(top, powerOfTen(shift))
	} else {
		bottom = new(big.Int).Mul(bottom, powerOfTen(-shift))
	}
	q, rest := new(big.Int).QuoRem(top, bottom, new(big.Int))
	half := rest.Lsh(rest.Abs(rest), 1).CmpAbs(bottom)
	if half > 0 || half == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(int64(top.Sign()*bottom.Sign())))
	}
	return FromBig(q, scale)
}

// wordQuotient is Quo, in words, of numbers that are not zero. ok is false if some step needs more.
func (a Number) wordQuotient(b Number) (q Number, ok bool) {
	if a.large != nil || b.large != nil {
		return q, false
	}
	x, y := magnitude(a.mantissa), magnitude(b.mantissa)
	shift := int(b.scale) - int(a.scale)
	before := wordLength(x) - wordLength(y) + shift
	scale := max(QuotientDigits-before, 0)
	m, ok := roundedQuotient(x, y, scale+shift)
	if more := wordLength(m) - QuotientDigits; ok && more > 0 && scale > 0 {
		scale = max(scale-more, 0)
		m, ok = roundedQuotient(x, y, scale+shift)
	}
	if !ok || m > math.MaxInt64 {
		return q, false
	}
	if (a.mantissa < 0) != (b.mantissa < 0) {
		return FromPlain(-int64(m), scale), true
	}
	return FromPlain(int64(m), scale), true
}

// roundedQuotient returns x * 10^shift / y, rounded to the nearest integer, a tie to the even one.
func roundedQuotient(x, y uint64, shift int) (q uint64, ok bool) {
	if shift < 0 || shift > smallDigits {
		return 0, false
	}
	high, low := bits.Mul64(x, tens[shift])
	if high >= y {
		return 0, false
	}
	q, rest := bits.Div64(high, low, y)
	if half := y - rest; rest > half || rest == half && q&1 == 1 {
		q++
	}
	return q, q != 0
}

// wordLength returns the number of decimal digits of a word.
func wordLength(m uint64) (n int) {
	for n = 1; n <= smallDigits && m >= tens[n]; n++ {
	}
	if n > smallDigits && m >= 10*tens[smallDigits] {
		n++
	}
	return n
}

// digitsOf returns the number of decimal digits of m.
func digitsOf(m *big.Int) int {
	return len(new(big.Int).Abs(m).Text(10))
}

// mantissaAt returns the mantissa of an exact decimal at a scale that is not below its own.
func (a Number) mantissaAt(scale int32) *big.Int {
	return new(big.Int).Mul(a.bigMantissa(), powerOfTen(int(scale-a.scale)))
}

// rounded returns the float64 nearest to the result of an operation.
func (a Number) rounded(b Number, operation func(z, x, y *big.Rat) *big.Rat, of func(x, y float64) float64) Number {
	if a.infinite() || b.infinite() {
		return FromFloat(of(a.Float64(), b.Float64()))
	}
	return FromFloat(roundRat(operation(new(big.Rat), a.Rat(), b.Rat())))
}

// IsInfinite reports whether a float64 is beyond the finite range.
func (a Number) IsInfinite() bool { return a.infinite() }

// IsNaN reports whether the number is none: the difference of two infinities, and what comes of it.
func (a Number) IsNaN() bool { return a.float && math.IsNaN(a.asFloat()) }

// Midway returns the float64 nearest to (a + b) / 2.
func (a Number) Midway(b Number) Number {
	if a.infinite() || b.infinite() {
		return FromFloat((a.Float64() + b.Float64()) / 2)
	}
	r := a.Rat()
	r.Add(r, b.Rat())
	return FromFloat(roundRat(r.Quo(r, big.NewRat(2, 1))))
}
