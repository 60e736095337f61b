package serve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dustin/go-humanize"
)

// TestNumbers compares with the library that everybody uses.
func TestNumbers(t *testing.T) {
	values := []int64{0, 1, 9, 10, 99, 100, 999, 1000, 1001, 999_999, 1_000_000, math.MaxInt64}
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		values = append(values, r.Int64()>>r.IntN(63))
	}
	for _, n := range values {
		for _, n := range []int64{n, -n} {
			if got, want := grouped(n), humanize.Comma(n); got != want {
				t.Errorf("%d is %q, want %q", n, got, want)
			}
		}
	}
	if got := plural(1, "file") + ", " + plural(0, "file") + ", " + exactBytes(1234); got != "1 file, 0 files, 1,234 bytes" {
		t.Error(got)
	}
}
