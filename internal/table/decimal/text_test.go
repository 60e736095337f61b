package decimal

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestTextOfSmall holds the text of decimals in a word to that of fractions.
func TestTextOfSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 2))
	for _, fixed := range []int64{0, 1, -1, 10, -100, math.MaxInt64, math.MinInt64} {
		for range 2000 {
			m, scale, decimals := r.Int64()>>r.IntN(64)*int64(r.IntN(3)-1), r.IntN(smallDigits+3), r.IntN(smallDigits+3)
			if r.IntN(4) == 0 {
				m = fixed
			}
			n := FromPlain(m, scale)
			want := n.Rat().FloatString(scale + decimals)
			for range scale + decimals { // down to the digits that are asked for
				point := strings.IndexByte(want, '.')
				if point < 0 || len(want)-point-1 <= decimals || want[len(want)-1] != '0' {
					break
				}
				want = want[:len(want)-1]
			}
			want = strings.TrimSuffix(want, ".")
			if got := n.Text(decimals); got != want {
				t.Fatalf("%d at scale %d with %d decimals: %s, want %s", m, scale, decimals, got, want)
			}
			if back, ok := new(big.Rat).SetString(n.Text(0)); !ok || back.Cmp(n.Rat()) != 0 {
				t.Fatalf("%d at scale %d: %s is another number", m, scale, n.Text(0))
			}
		}
	}
}
