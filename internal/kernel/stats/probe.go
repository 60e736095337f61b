package stats

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
)

// Probes returns the benchmark tasks of the family: integers of all sizes, and floats that look
// like measurements.
func Probes() (all []kernel.Probe) {
	for _, name := range []string{"u8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"} {
		t, err := compare.ParseType(name)
		if err != nil {
			panic("thresh: bug: " + err.Error())
		}
		w := t.Width()
		all = append(all, kernel.NewProbe("stats "+name, w, pieceBytes, variants, func(f adder, n int) kernel.Work {
			b, random := make([]byte, n+8), rand.New(rand.NewPCG(1, uint64(w)))
			for i := 0; i < n; i += w {
				switch {
				case t.Narrow(): // a bf16 is the upper half of a float32; an f16 takes others of its range
					v := math.Float32bits(float32(random.NormFloat64()) / 64)
					if t.Largest() < 0x1p16 {
						v = v&(1<<31) | (v>>23&15+8)<<26 | v&(1<<23-1)<<3
					}
					binary.LittleEndian.PutUint16(b[i:], uint16(v>>16))
				case t.Float() && w == 4:
					binary.LittleEndian.PutUint32(b[i:], math.Float32bits(float32(random.IntN(100_000))/100))
				case t.Float():
					binary.LittleEndian.PutUint64(b[i:], math.Float64bits(float64(random.IntN(100_000))/100))
				default:
					binary.LittleEndian.PutUint64(b[i:], random.Uint64())
				}
			}
			b = b[:n]
			sum, k := New(t), newKernel(t, kernel.Variant[adder]{Func: f})
			return kernel.Work{
				Run: func(rounds int) {
					for range rounds {
						sum.parts = none()
						k.add(&sum.scratch, b)
					}
				},
				Answer: func() any {
					sum := New(t)
					k.Add(sum, b, w)
					return [...]string{sum.MinText(), sum.MaxText(), sum.SumText(), fmt.Sprint(sum.N())}
				},
			}
		}))
	}
	return all
}
