package nonzero

import (
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
)

// Bytes around the borders of two pairs of stretches, in slices that end around such borders. A
// later byte, which is read before the first one if it lies in a second stretch, must not win.
func TestStretches(t *testing.T) {
	const stretch, last = kernel.StretchBytes, kernel.NearBytes + 2*kernel.PairBytes
	const most = last + stretch + 300
	kerneltest.Run(t, variants, func(t *testing.T, index Func) {
		head, tail := kerneltest.Guarded(t, most)
		for end := kernel.NearBytes; end <= last; end += stretch {
			for _, n := range []int{end - 1, end, end + 1, end + 127, end + 128, end + 255, end + 256, end + 257} {
				for _, b := range [][]byte{head[:n], tail[most-n:]} {
					if got := index(b); got != -1 {
						t.Fatalf("%d zeros: got %d", n, got)
					}
					for border := kernel.NearBytes; border <= end; border += stretch {
						for place := border - 257; place < min(border+258, n); place += 64 {
							for _, later := range []int{place, place + stretch - 300, place + stretch + 200} {
								later = min(later, n-1)
								b[place], b[later] = 1, 1
								if got := index(b); got != place {
									t.Fatalf("length %d, bytes at %d and %d: got %d", n, place, later, got)
								}
								b[place], b[later] = 0, 0
							}
						}
					}
				}
			}
		}
	})
}
