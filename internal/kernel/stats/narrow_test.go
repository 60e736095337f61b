package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The extremes from the orders of bits, against sorted values, for few floats of all kinds.
func TestFromBits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := []uint16{0, 0x8000, 1, 0x8001, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7bff, 0xfbff}
	for range 20_000 {
		var values []float64
		ul, uh, sl, sh := uint16(math.MaxUint16), uint16(0), int16(math.MaxInt16), int16(math.MinInt16)
		for range 1 + random.IntN(3) {
			raw := some[random.IntN(len(some))]
			ul, uh, sl, sh = min(ul, raw), max(uh, raw), min(sl, int16(raw)), max(sh, int16(raw))
			values = append(values, widen(raw, false))
		}
		slices.SortFunc(values, func(a, b float64) int {
			return int(rank(a)>>48) - int(rank(b)>>48) // -0 is below 0
		})
		low, high, smallest := fromBits(ul, uh, sl, sh)
		e := extremesOf16(low, high, false)
		wantSmall := math.Inf(1)
		for _, v := range values {
			wantSmall = min(wantSmall, math.Abs(v))
		}
		if e.least != rank(values[0]) || e.greatest != rank(values[len(values)-1]) || widen(smallest, false) != wantSmall {
			t.Fatalf("%v: from %v to %v, smallest %v", values, fromRank(e.least), fromRank(e.greatest), widen(smallest, false))
		}
	}
}
