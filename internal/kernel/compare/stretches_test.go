package compare

import (
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/question"
)

// Bytes are counted in two stretches at a time. All bytes fit, which fills the sums, or some do.
func TestCountStretches(t *testing.T) {
	const most = 2*kernel.PairBytes + 300
	cond, typ := native{question.Between, 60, 80}, mustType(t, "u8")
	kerneltest.Run(t, counters, func(t *testing.T, f counter) {
		random := rand.New(rand.NewPCG(7, 8))
		head, tail := kerneltest.Guarded(t, most)
		p := mustCounter(t, typ, f, cond)
		for _, some := range []int{1, 256} {
			for i := range head {
				head[i] = byte(70 + random.IntN(some))
			}
			copy(tail, head)
			for end := kernel.StretchBytes; end <= 2*kernel.PairBytes; end += kernel.StretchBytes {
				for _, n := range []int{end - 1, end, end + 1, end + 63, end + 64, end + 127, end + 128, end + 129, end + 300} {
					n = min(n, most)
					for stride := 1; stride <= 8; stride *= 2 {
						for _, b := range [][]byte{head[:n], tail[most-n:]} {
							want := wantedCount(typ, []native{cond}, b, stride)
							if got := p.CountStride(b, stride); got != want {
								t.Fatalf("%d bytes every %d: %d, want %d", n, stride, got, want)
							}
						}
					}
				}
			}
		}
	})
}
