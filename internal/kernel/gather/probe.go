package gather

import (
	"fmt"
	"hash/maphash"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// Probes returns the benchmark tasks of the family: members of records that are near each other,
// and of some that are not.
func Probes() (all []kernel.Probe) {
	seed := maphash.MakeSeed()
	for _, layout := range []struct{ width, stride int }{{1, 3}, {4, 12}, {8, 24}} {
		name := fmt.Sprintf("gather %d of %d", layout.width, layout.stride)
		all = append(all, kernel.NewProbe(name, layout.stride, 0, variants, func(f Func, n int) kernel.Work {
			b, to := make([]byte, n), make([]byte, n/layout.stride*layout.width)
			for i := range b {
				b[i] = byte(i % 251)
			}
			return kernel.Work{
				Run: func(rounds int) {
					for range rounds {
						f(to, b, layout.width, layout.stride)
					}
				},
				Answer: func() any {
					clear(to)
					f(to, b, layout.width, layout.stride)
					return maphash.Bytes(seed, to)
				},
			}
		}))
	}
	return all
}
