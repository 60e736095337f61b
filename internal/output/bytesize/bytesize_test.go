package bytesize

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dustin/go-humanize"
)

// TestText compares with the library that everybody uses.
func TestText(t *testing.T) {
	values := []int64{0, 1, 9, 10, 99, 100, 999, 1000, 1023, 1024, 1535, 10_188, 10_189, 10_239, 10_240, 999_999,
		1 << 20, 1<<20 - 1, 1<<30 - 1, 1 << 30, 1 << 40, 1 << 50, 1 << 60, math.MaxInt64}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		values = append(values, r.Int64()>>r.IntN(63))
	}
	for _, n := range values {
		if got, want := Text(n), humanize.IBytes(uint64(n)); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
}
