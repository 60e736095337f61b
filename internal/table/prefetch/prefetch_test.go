package prefetch

import "testing"

// TestLinesLeavesBytes asks for ranges of all kinds. That they arrive sooner only a clock can
// tell; that nothing else happens, this does.
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
