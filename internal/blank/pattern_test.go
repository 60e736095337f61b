package blank

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestParsePattern(t *testing.T) {
	for text, want := range map[string]string{"00": "00", "ff": "FF", "0000": "00", "DE AD be ef": "DE AD BE EF", "AAAA": "AA",
		"01 02 01 02": "01 02", "010201": "01 02 01", " 55 ": "55"} {
		if p, err := ParsePattern(text); err != nil || p.String() != want || p.IsZero() != (want == "00") {
			t.Errorf("%q: %v %v, want %s", text, p, err, want)
		}
	}
	for _, text := range []string{"", " ", "F", "0xFF", "GG", "F F", strings.Repeat("ab", patternBytesMax+1)} {
		if p, err := ParsePattern(text); err == nil {
			t.Errorf("%q is taken as %v", text, p)
		}
	}
}

// TestDiffers compares with a loop over the bytes, at every phase of patterns of many lengths.
func TestDiffers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, period := range []int{1, 2, 3, 7, 512, 4095, 4096} {
		unit := make([]byte, period)
		for i := range unit {
			unit[i] = byte(r.IntN(256))
		}
		for _, p := range []Pattern{{unit}, Zero} {
			m := newMatcher(p)
			for range 200 {
				off, n := r.Int64N(1<<40), r.IntN(3*copiesBytes)
				b := make([]byte, n)
				for i := range b {
					b[i] = p.unit[(off+int64(i))%int64(len(p.unit))]
				}
				want := -1
				if n > 0 && r.IntN(3) > 0 {
					want = r.IntN(n)
					b[want] ^= 1 << r.IntN(8)
					copy(b[want+1:], bytes.Repeat([]byte{b[want]}, r.IntN(n-want)))
				}
				if got := m.differs(b, off); got != want {
					t.Fatalf("period %d, %d bytes at %d: differs at %d, want %d", len(p.unit), n, off, got, want)
				}
			}
		}
	}
}
