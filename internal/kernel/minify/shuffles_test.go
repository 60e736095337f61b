//go:build amd64 || arm64

package minify

import "testing"

func TestShuffles(t *testing.T) {
	for mask := range 256 {
		want, n := ^uint64(0), 0
		for i := range uint64(8) {
			if mask>>i&1 == 1 {
				want ^= (0xff ^ i) << (8 * n)
				n++
			}
		}
		if shuffles[mask] != want {
			t.Errorf("the shuffle of %08b is %016x, want %016x", mask, shuffles[mask], want)
		}
	}
}
