package pattern

import (
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
)

// Occurrences around the borders of two pairs of stretches. A later one, and a place that only the
// pair matches, are seen before it if they lie in a second stretch.
func TestStretches(t *testing.T) {
	const stretch, last = kernel.StretchBytes, kernel.NearBytes + 2*kernel.PairBytes
	const most = last + stretch + 300
	literal, nibble := literal(t, "q=7f3a9c"), parse(t, "7? ff a?")
	nibbles, failing := []byte{0x7e, 0xff, 0xab}, []byte{0x7e, 0xff, 0xbb}
	kerneltest.Run(t, variants, func(t *testing.T, index Func) {
		head, tail := kerneltest.Guarded(t, most)
		for _, p := range []struct {
			*Pattern
			fits, fails []byte
		}{{literal, []byte("q=7f3a9c"), []byte("q=7f3a9b")}, {nibble, nibbles, failing}} {
			for end := kernel.NearBytes; end <= last; end += stretch {
				for _, n := range []int{end - 7, end - 6, end - 5, end - 3, end - 1, end + 32, end + 127, end + 160, end + 161} {
					for _, b := range [][]byte{head[:n], tail[most-n:]} {
						if got := index(p.Pattern, b); got != -1 {
							t.Fatalf("%x in %d zeros: %d", p.fits, n, got)
						}
						for border := kernel.NearBytes; border <= end; border += stretch {
							for place := border - 130; place <= min(border+130, n-len(p.fits)); place++ {
								later := min(place+stretch-100, n-len(p.fits))
								miss := max(later-50, place)
								copy(b[miss:], p.fails)
								copy(b[later:], p.fits)
								copy(b[place:], p.fits)
								if got := index(p.Pattern, b); got != place {
									t.Fatalf("%x at %d and %d of %d: %d", p.fits, place, later, n, got)
								}
								copy(b[place:], p.fails)
								if got := index(p.Pattern, b); miss > place+len(p.fits) && got != later {
									t.Fatalf("%x at %d of %d: %d", p.fits, later, n, got)
								}
								clear(b[place : place+len(p.fits)])
								clear(b[miss : miss+len(p.fits)])
								clear(b[later : later+len(p.fits)])
							}
						}
					}
				}
			}
		}
	})
}
