package decimal

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestJoint holds the sums of pairs to exact fractions, however they are split and encoded.
func TestJoint(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		number := func() Number {
			text := fmt.Sprintf("%s%d.%d", []string{"", "-"}[r.IntN(2)], r.IntN(1000), r.IntN(100))
			if r.IntN(4) == 0 {
				text += fmt.Sprintf("e%d", r.IntN(40)-20)
			}
			if r.IntN(9) == 0 {
				text = "9" + fmt.Sprint(r.Uint64()) + fmt.Sprint(r.Uint64())
			}
			n, _ := Parse([]byte(text))
			return n
		}
		var parts [3]Joint
		var x, y []Number
		for range 2 + r.IntN(20) {
			a, b := number(), number()
			if m := int64(r.IntN(1 << 30)); r.IntN(3) == 0 {
				a, b = FromPlain(m, 2), FromPlain(-m*m, 3)
				parts[r.IntN(3)].AddPlain(m, -m*m, 2, 3)
			} else {
				parts[r.IntN(3)].Add(a, b)
			}
			x, y = append(x, a), append(y, b)
		}
		var all Joint
		for i := range parts {
			var again Joint
			if rest, err := again.Decode(parts[i].AppendBinary(nil)); err != nil || len(rest) > 0 {
				t.Fatal(rest, err)
			}
			all.Merge(&again)
		}
		n := new(big.Rat).SetInt64(int64(len(x)))
		distances := func(x, y []Number) *big.Rat {
			sumX, sumY, products := new(big.Rat), new(big.Rat), new(big.Rat)
			for i := range x {
				a, b := x[i].Rat(), y[i].Rat()
				sumX.Add(sumX, a)
				sumY.Add(sumY, b)
				if x[i].IsFloat() || y[i].IsFloat() {
					a, b = new(big.Rat).SetFloat64(x[i].Float64()), new(big.Rat).SetFloat64(y[i].Float64())
				}
				products.Add(products, a.Mul(a, b))
			}
			return products.Sub(products, sumX.Mul(sumX, sumY.Quo(sumY, n)))
		}
		covariance := distances(x, y)
		want, _ := new(big.Rat).Quo(covariance, n).Float64()
		if got := all.Covariance(int64(len(x))); got != want {
			t.Errorf("seed %d: covariance %v, want %v", seed, got, want)
		}
		both, _ := new(big.Rat).Mul(distances(x, x), distances(y, y)).Float64()
		above, _ := covariance.Float64()
		if got, near := all.Correlation(), above/math.Sqrt(both); math.Abs(got-near) > 1e-9 {
			t.Errorf("seed %d: correlation %v, want about %v", seed, got, near)
		}
	}
}
