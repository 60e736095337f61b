package histogram

import (
	"math"
	"math/bits"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
)

// Instruction sets that compare only signed numbers must still order unsigned ones. Minimum and
// maximum of all pairs of edge values, at every place of a vector, minus each edge value.
func TestDistancesOfEdges(t *testing.T) {
	const longest = 37
	edges := []uint64{0, 1, 2, 1<<31 - 1, 1 << 31, 1<<31 + 1, math.MaxUint32 - 1, math.MaxUint32,
		1 << 32, 1<<63 - 1, 1 << 63, 1<<63 + 1, math.MaxUint64 - 1, math.MaxUint64}
	kerneltest.Run(t, variants, func(t *testing.T, k kernels) {
		for _, base := range edges {
			for _, one := range edges {
				for i, other := range edges {
					n := 1 + (i*7)%longest
					at := (i * 5) % n
					values64, values32 := make([]uint64, n), make([]uint32, n)
					for j := range values64 {
						values64[j], values32[j] = one, uint32(one)
					}
					values64[at], values32[at] = other, uint32(other)
					swap := i%2 == 1
					if swap {
						for j := range values64 {
							values64[j], values32[j] = bits.ReverseBytes64(values64[j]), bits.ReverseBytes32(values32[j])
						}
					}
					low64, high64 := k.distances64.all(values64, swap, base)
					far, near := other-base, one-base
					if n == 1 {
						near = far
					}
					if low64 != min(far, near) || high64 != max(far, near) || values64[at] != far || values64[0] != near && at != 0 {
						t.Fatalf("64 bits, %d and at %d of %d %d, less %d: %d to %d", one, at, n, other, base, low64, high64)
					}
					low32, high32 := k.distances32.all(values32, swap, uint32(base))
					far32, near32 := uint32(other)-uint32(base), uint32(one)-uint32(base)
					if n == 1 {
						near32 = far32
					}
					if low32 != min(far32, near32) || high32 != max(far32, near32) || values32[at] != far32 {
						t.Fatalf("32 bits, %d and at %d of %d %d, less %d: %d to %d", one, at, n, other, base, low32, high32)
					}
				}
			}
		}
	})
}
