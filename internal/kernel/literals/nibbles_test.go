package literals

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// Any filter on any bytes: each variant marks the same places as a test of each place, leaves other
// marks unchanged, and does not read past the end.
func TestMarks(t *testing.T) {
	const words = 3 * manyWords
	kerneltest.Run(t, variants, func(t *testing.T, marker Marker) {
		random := rand.New(rand.NewPCG(1, 2))
		_, tail := kerneltest.Guarded(t, 64*words+window-1)
		for range rounds.Of(300) {
			rare := 1 + random.IntN(5)
			f := new(nibbles)
			for pos := range window {
				for half := range 16 {
					f.low[pos][half], f.high[pos][half] = 0xff, 0xff
					for range rare {
						f.low[pos][half] &= uint8(random.Uint32())
						f.high[pos][half] |= uint8(random.Uint32())
					}
				}
			}
			for i := range tail {
				tail[i] = byte(random.Uint32())
			}
			n := random.IntN(words) + 1
			b := tail[64*(words-n):]
			marks := make([]uint64, n)
			for i := range marks {
				marks[i] = random.Uint64() & random.Uint64() & random.Uint64()
			}
			want := slices.Clone(marks)
			f.markPlaces(b, want)
			if marker(f, b, marks); !slices.Equal(marks, want) {
				t.Fatalf("%d words: got %x, want %x", n, marks, want)
			}
		}
	})
}
