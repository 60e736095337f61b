package numeral

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dustin/go-humanize"
)

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0 lines", 1: "1 line", 2: "2 lines", -1: "-1 lines", 1e6: "1000000 lines"} {
		if got := Count(n, "line"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestCountGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0 files", 1: "1 file", -1: "-1 files", 1234567: "1,234,567 files"} {
		if got := CountGrouped(n, "file"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestGrouped compares with the library that everybody uses.
func TestGrouped(t *testing.T) {
	values := []int64{0, 1, -1, 999, 1000, -999, -1000, 999_999, 1_000_000, math.MaxInt64}
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		values = append(values, r.Int64()>>r.IntN(63), -r.Int64()>>r.IntN(63))
	}
	for _, n := range values {
		if got, want := Grouped(n), humanize.Comma(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
