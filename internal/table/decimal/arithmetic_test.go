package decimal

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestArithmetic holds sums, differences, products and quotients to exact fractions.
func TestArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 20))
	var all []Number
	for _, text := range []string{"0", "-0", "1", "-1", "0.5", "3", "7", "9", "-9223372036854775808", "9223372036854775807", "99999999999999999999.5",
		"-0.000000000000000000003", "1e3", "-2.5e-3", "1e300", "5e-324", "4611686018427387904", "999999999999999999", "1000000000000000001"} {
		n, kind := Parse([]byte(text))
		if kind != Plain && kind != Irregular {
			t.Fatalf("%s is no number", text)
		}
		all = append(all, n)
	}
	for range 60 {
		all = append(all, FromPlain(int64(r.Uint64())>>r.IntN(64), r.IntN(25)))
	}
	same := func(what string, a, b, got Number, want *big.Rat) {
		t.Helper()
		if a.float || b.float {
			f, _ := want.Float64()
			if !got.float || got.asFloat() != f {
				t.Errorf("%s of %s and %s: got %s, want %v", what, a.Text(0), b.Text(0), got.Text(0), f)
			}
		} else if got.float || got.Rat().Cmp(want) != 0 {
			t.Errorf("%s of %s and %s: got %s, want %s", what, a.Text(0), b.Text(0), got.Text(0), want)
		}
	}
	for _, a := range all {
		for _, b := range all {
			x, y := a.Rat(), b.Rat()
			same("sum", a, b, a.Add(b), new(big.Rat).Add(x, y))
			same("difference", a, b, a.Sub(b), new(big.Rat).Sub(x, y))
			same("product", a, b, a.Mul(b), new(big.Rat).Mul(x, y))
			q, ok := a.Quo(b)
			if ok != (y.Sign() != 0) {
				t.Errorf("%s / %s: %v", a.Text(0), b.Text(0), ok)
			}
			if ok {
				exact := new(big.Rat).Quo(x, y)
				if a.float || b.float {
					same("quotient", a, b, q, exact)
				} else {
					closeEnough(t, a, b, q, exact)
				}
			}
		}
	}
}

// closeEnough: a quotient has 18 significant digits, or all before the point, and is at most half of a unit
// of its last digit away from the exact one; at just half, that digit is even.
func closeEnough(t *testing.T, a, b, q Number, exact *big.Rat) {
	t.Helper()
	apart := new(big.Rat).Sub(q.Rat(), exact)
	if apart.Sign() == 0 {
		return
	}
	half := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Mul(big.NewInt(2), powerOfTen(int(q.scale))))
	if digits := digitsOf(q.bigMantissa()); q.scale > 0 && digits != QuotientDigits || digits < QuotientDigits && q.scale == 0 {
		t.Errorf("%s / %s: %s has %d digits", a.Text(0), b.Text(0), q.Text(0), digits)
	}
	if c := apart.Abs(apart).Cmp(half); c > 0 || c == 0 && q.bigMantissa().Bit(0) == 1 {
		t.Errorf("%s / %s: %s is not the nearest", a.Text(0), b.Text(0), q.Text(0))
	}
}

func TestQuotientTies(t *testing.T) {
	for _, c := range [][3]string{
		{"1000000000000000005", "10", "100000000000000000"}, // the tie goes to the even digit
		{"1000000000000000015", "10", "100000000000000002"},
		{"2", "3", "0.666666666666666667"},
		{"-2", "3", "-0.666666666666666667"},
		{"1", "3000000000000", "0.000000000000333333333333333333"},
		{"9999999999999999995", "10", "1000000000000000000"},
		{"11", "10", "1.1"},
		{"123456789012345678901", "1", "123456789012345678901"},
	} {
		a, _ := Parse([]byte(c[0]))
		b, _ := Parse([]byte(c[1]))
		if q, ok := a.Quo(b); !ok || q.Text(0) != c[2] {
			t.Errorf("%s / %s: got %s, want %s", c[0], c[1], q.Text(0), c[2])
		}
	}
}

// TestSquares holds variances to exact fractions, through an encoding, and for the extremes of float64.
func TestSquares(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 20))
	floats := []float64{0, 1, -1, 0.1, math.SmallestNonzeroFloat64, 3 * math.SmallestNonzeroFloat64, 0x1p-1022, 1e-300, 1e150, -3.5e154}
	for range 300 {
		var squares Squares
		var sum Sum
		var all []*big.Rat
		total := new(big.Rat)
		n := 2 + r.IntN(6)
		for range n {
			v := FromPlain(r.Int64()>>r.IntN(63), r.IntN(12))
			if r.IntN(3) == 0 {
				v = FromFloat(floats[r.IntN(len(floats))])
			}
			var one, again Squares
			one.Add(v)
			if rest, err := again.Decode(one.AppendBinary(nil)); err != nil || len(rest) > 0 {
				t.Fatal(err)
			}
			squares.Merge(&again)
			sum.Add(v)
			all = append(all, v.Rat())
			total.Add(total, v.Rat())
		}
		mean := total.Quo(total, new(big.Rat).SetInt64(int64(n)))
		want := new(big.Rat)
		for _, v := range all {
			d := new(big.Rat).Sub(v, mean)
			want.Add(want, d.Mul(d, d))
		}
		variance, _ := want.Quo(want, new(big.Rat).SetInt64(int64(n-1))).Float64()
		if got := squares.Variance(&sum, int64(n), int64(n-1), false); got != variance {
			t.Fatalf("%v: got %v, want %v", all, got, variance)
		}
		deviation := squares.Variance(&sum, int64(n), int64(n-1), true)
		root := new(big.Float).SetPrec(2000).SetRat(want)
		if f, _ := root.Sqrt(root).Float64(); f != deviation {
			t.Fatalf("%v: the deviation is %v, want %v", all, deviation, f)
		}
	}
	var s Squares
	if _, err := s.Decode([]byte{0, 0, 0, 0, 2}); err == nil {
		t.Error("a wrong encoding was decoded")
	}
}

// TestWordQuotients holds quotients in words to those of large integers.
func TestWordQuotients(t *testing.T) {
	r, inWords := rand.New(rand.NewPCG(2, 21)), 0
	number := func() (small, large Number) {
		m := r.Int64() >> r.IntN(63)
		if r.IntN(4) == 0 {
			m = int64(tens[r.IntN(smallDigits+1)]) + r.Int64N(3) - 1
		}
		if r.IntN(2) == 0 {
			m = -m
		}
		small = FromPlain(m, r.IntN(5))
		return small, Number{large: big.NewInt(m), scale: small.scale}
	}
	for range 50_000 {
		a, largeA := number()
		b, largeB := number()
		if _, ok := a.wordQuotient(b); ok && a.mantissa != 0 && b.mantissa != 0 {
			inWords++
		}
		got, ok := a.Quo(b)
		want, wantOK := largeA.Quo(largeB)
		if ok != wantOK || ok && (got.Compare(want) != 0 || got.scale != want.scale) {
			t.Fatalf("%s / %s: %s with scale %d, want %s with %d", a.Text(0), b.Text(0), got.Text(0), got.scale, want.Text(0), want.scale)
		}
	}
	if inWords < 10_000 {
		t.Errorf("only %d quotients were computed in words", inWords)
	}
}
