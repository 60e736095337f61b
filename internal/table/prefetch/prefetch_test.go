package prefetch

import "testing"

// TestLinesLeavesBytes prefetches all kinds of ranges, and checks that no byte changes. Whether
// the bytes arrive sooner, only a clock could tell.
func TestLinesLeavesBytes(t *testing.T) {
	p := make([]byte, 4*LineBytes)
	for i := range p {
		p[i] = byte(i)
	}
	Lines(nil)
	for from := range p {
		for to := from; to <= len(p); to++ {
			Lines(p[from:to])
		}
	}
	for i, b := range p {
		if b != byte(i) {
			t.Fatalf("byte %d is %d, want %d", i, b, byte(i))
		}
	}
}
