package regex

import (
	"math/rand/v2"
	"testing"
)

// Every length and alignment, from every place: the plain search finds the same as a test of each
// place, with sets of no byte, of one, of some and of many.
func TestPairPlain(t *testing.T) {
	const longest, alignments = 300, 8
	random := rand.New(rand.NewPCG(7, 8))
	buffer := make([]byte, longest+alignments)
	for n := range longest + 1 {
		var sets [2][256]bool
		for i := range sets {
			for range []int{0, 1, 1, 3, 200}[random.IntN(5)] {
				sets[i][random.IntN(256)] = true
			}
		}
		off1, off2 := random.IntN(maxOffset+1), random.IntN(maxOffset+1)
		p := newPair(off1, &sets[0], off2, &sets[1])
		rare := 1 + random.IntN(100)
		for i := range buffer {
			buffer[i] = 'x'
			if random.IntN(rare) == 0 {
				buffer[i] = byte(random.IntN(256))
			}
			if random.IntN(rare) == 0 {
				buffer[i] = p.loneByte
			}
		}
		for start := range alignments {
			b := buffer[start:][:n:n]
			from, want := random.IntN(n+1), -1
			for i := from; i+p.reach < n && want < 0; i++ {
				if sets[0][b[i+off1]] && sets[1][b[i+off2]] {
					want = i
				}
			}
			if got := p.rest(b, from); got != want {
				t.Fatalf("offsets %d and %d from %d in %q: %d, want %d", off1, off2, from, b, got, want)
			}
		}
	}
}
