package expr

import (
	"math"
	"math/big"

	"github.com/thresh-dev/thresh/internal/table/decimal"
)

// tenTo returns 10 to the power of n, which is not negative.
func tenTo(n int) decimal.Number {
	if n < len(smallTens) {
		return smallTens[n]
	}
	return decimal.FromBig(bigTen(n), 0)
}

var smallTens = func() (tens [19]decimal.Number) {
	for power, i := int64(1), 0; i < len(tens); i++ {
		tens[i] = decimal.FromPlain(power, 0)
		power *= 10
	}
	return tens
}()

func bigTen(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// remainder returns what is left of a after it was divided by b; it has the sign of a. ok is false if b is 0.
func remainder(a, b decimal.Number) (r decimal.Number, ok bool) {
	if b.Compare(decimal.Number{}) == 0 || a.IsInfinite() {
		return r, false
	}
	if b.IsInfinite() {
		return a, true
	}
	if a.IsFloat() || b.IsFloat() {
		return decimal.FromFloat(math.Mod(a.Float64(), b.Float64())), true
	}
	scale := max(a.Decimals(), b.Decimals())
	m, _, ok := a.Mantissa(scale)
	n, _, ok2 := b.Mantissa(scale)
	if ok && ok2 {
		if n == -1 { // the least integer divided by it does not fit
			return r, true
		}
		return decimal.FromPlain(m%n, scale), true
	}
	x, y := integerOf(a, scale), integerOf(b, scale)
	return decimal.FromBig(x.Rem(x, y), scale), true
}

// integerOf returns a number times 10^scale as an integer, half away from zero. The scale may be negative.
func integerOf(n decimal.Number, scale int) *big.Int {
	r := n.Rat()
	factor := new(big.Rat).SetInt(bigTen(max(scale, -scale)))
	if scale < 0 {
		factor.Inv(factor)
	}
	r = new(big.Rat).Mul(r, factor)
	half := big.NewRat(1, 2)
	if r.Sign() < 0 {
		half.Neg(half)
	}
	r.Add(r, half)
	return new(big.Int).Quo(r.Num(), r.Denom())
}

// round rounds to a number of digits after the point, half away from zero. The number may be negative.
func round(n decimal.Number, to int) decimal.Number {
	switch {
	case n.IsInfinite() || n.IsNaN():
		return n
	case n.IsFloat():
		if f := n.Float64(); to == 0 {
			return decimal.FromFloat(math.Round(f))
		}
		text := decimal.FromBig(integerOf(n, to), max(to, 0))
		if to < 0 {
			text = text.Mul(tenTo(-to))
		}
		return decimal.FromFloat(text.Float64())
	case to >= n.Decimals():
		return n
	case to >= 0:
		floor, exact, ok := n.Mantissa(to)
		if !ok {
			break
		}
		below := decimal.FromPlain(floor, to)
		if exact {
			return below
		}
		rest := n.Sub(below)
		c := rest.Add(rest).Compare(decimal.FromPlain(1, to))
		if c > 0 || c == 0 && floor >= 0 {
			return decimal.FromPlain(floor+1, to)
		}
		return below
	}
	if to < -longestRound {
		return decimal.Number{}
	}
	m := decimal.FromBig(integerOf(n, to), max(to, 0))
	if to < 0 {
		m = m.Mul(tenTo(-to))
	}
	return m
}

// longestRound is more digits before the point than the numbers that are rounded have.
const longestRound = 400

// whole rounds down or up to an integer.
func whole(n decimal.Number, up bool) decimal.Number {
	if up {
		return whole(n.Neg(), false).Neg()
	}
	if n.IsFloat() {
		return decimal.FromFloat(math.Floor(n.Float64()))
	}
	if floor, _, ok := n.Mantissa(0); ok {
		return decimal.FromPlain(floor, 0)
	}
	r := n.Rat()
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	_ = m // not negative: DivMod rounds down for a positive divisor
	return decimal.FromBig(q, 0)
}

// sign returns -1, 0 or 1.
func sign(n decimal.Number) decimal.Number {
	return decimal.FromPlain(int64(n.Compare(decimal.Number{})), 0)
}
