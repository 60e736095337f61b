package compare

import (
	"math/rand/v2"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// Probes returns the benchmark tasks of the family, for one type of each width and kind: find a
// value that does not occur, and count one value in eight.
func Probes() (all []kernel.Probe) {
	for _, name := range []string{"u8", "i16", "i32", "i64", "f32", "f64"} {
		t, err := ParseType(name)
		if err != nil {
			panic("thresh: bug: " + err.Error())
		}
		w := t.width
		// The upper half of the ranks does not occur; an eighth of the others is counted.
		find := arc{t, (t.maxRank()/2 + 1) ^ t.bias(), t.maxRank() / 4}
		count := arc{t, t.bias(), t.maxRank() / 16}
		values := func(n int) []byte {
			b, random := make([]byte, n), rand.New(rand.NewPCG(1, uint64(w)))
			for i := 0; i+w <= n; i += w {
				key := random.Uint64()&(t.maxRank()/2) ^ t.bias()
				if t.Float() && key&t.signBit() != 0 {
					key ^= t.maxRank() >> 1
				}
				for k := range w {
					b[i+k] = byte(key >> (8 * k))
				}
			}
			return b
		}
		all = append(all,
			kernel.NewProbe("compare find "+name, w, 0, variants, func(f searcher, n int) kernel.Work {
				b, p := values(n), &Predicate{typ: t, kernel: kernel.Variant[searcher]{Func: f}}
				return kernel.Repeat(func() int { return p.index(b, &find, w) })
			}),
			kernel.NewProbe("compare count "+name, w, 0, counters, func(f counter, n int) kernel.Work {
				b, p := values(n), &Predicate{typ: t, counter: kernel.Variant[counter]{Func: f}}
				return kernel.Repeat(func() int { return p.count(b, &count, w) })
			}))
	}
	return all
}
