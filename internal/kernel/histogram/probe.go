package histogram

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// Probes returns the benchmark tasks of the family: each kernel over as much as it gets in one
// call.
func Probes() []kernel.Probe {
	random := func() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
	type outcome struct {
		low, high uint64
		values    string
	}
	return []kernel.Probe{
		kernel.NewProbe("histogram same", blockBytes, sectionBytes, variants, func(k kernels, n int) kernel.Work {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(i / 100)
			}
			return kernel.Repeat(func() uint64 { return k.same(b, 1) })
		}),
		kernel.NewProbe("histogram i32", 4, chunkBytes, variants, func(k kernels, n int) kernel.Work {
			r, values := random(), make([]uint32, n/4)
			for i := range values {
				values[i] = r.Uint32N(1e6)
			}
			return kernel.Work{
				Run: func(rounds int) {
					for range rounds {
						k.distances32.all(values, false, 17) // the results of a round are as good as the values before it
					}
				},
				Answer: func() any {
					v := slices.Clone(values)
					low, high := k.distances32.all(v, true, 17)
					return outcome{uint64(low), uint64(high), fmt.Sprint(v)}
				},
			}
		}),
		kernel.NewProbe("histogram i64", 8, chunkBytes, variants, func(k kernels, n int) kernel.Work {
			r, values := random(), make([]uint64, n/8)
			for i := range values {
				values[i] = r.Uint64N(1e12)
			}
			return kernel.Work{
				Run: func(rounds int) {
					for range rounds {
						k.distances64.all(values, false, 17)
					}
				},
				Answer: func() any {
					v := slices.Clone(values)
					low, high := k.distances64.all(v, true, 17)
					return outcome{low, high, fmt.Sprint(v)}
				},
			}
		}),
		kernel.NewProbe("histogram f64", 8, chunkBytes, variants, func(k kernels, n int) kernel.Work {
			g, err := newGrid(Spec{Low: "0", High: "1000", Bins: 100})
			if err != nil {
				panic("thresh: bug: " + err.Error())
			}
			r, values, places := random(), make([]float64, n/8), make([]uint64, n/8)
			for i := range values {
				values[i] = r.Float64() * 1000
			}
			return kernel.Work{
				Run: func(rounds int) {
					for range rounds {
						k.places(places, values, &g)
					}
				},
				Answer: func() any {
					low, high := k.places(places, values, &g)
					return outcome{low, high, fmt.Sprint(places)}
				},
			}
		}),
	}
}
