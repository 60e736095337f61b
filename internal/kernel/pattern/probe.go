package pattern

import (
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// Probes returns the benchmark tasks of the family: find a text that is not in a log but resembles
// it, also with a look for zero bytes, and count one that is in every line.
func Probes() []kernel.Probe {
	const line = "2026-03-04T10:11:12Z INFO req=7f3b9d user=1234 path=/v1/items status=200 took=12ms\n"
	log := func(n int) []byte { return []byte(strings.Repeat(line, n/len(line)+1)[:n]) }
	literal := func(s string) *Pattern {
		p, err := Literal([]byte(s))
		if err != nil {
			panic("thresh: bug: " + err.Error())
		}
		return p
	}
	absent, often := literal("req=7f3a9c"), literal("status=200")
	type hits struct{ n, end int }
	return []kernel.Probe{
		kernel.NewProbe("pattern find", 1, 0, variants, func(f Func, n int) kernel.Work {
			b := log(n)
			p := *absent
			p.variant.Func = f
			return kernel.Repeat(func() int { return p.Index(b) })
		}),
		kernel.NewProbe("pattern clean", 1, 0, cleaners, func(f Cleaner, n int) kernel.Work {
			b := log(n)
			p := *absent
			p.cleaner.Func = f
			return kernel.Repeat(func() int { return p.Clean(b) })
		}),
		kernel.NewProbe("pattern count", 1, 0, counters, func(f Counter, n int) kernel.Work {
			b := log(n)
			p := *often
			p.counter.Func = f
			return kernel.Repeat(func() (h hits) {
				h.n, h.end = p.Count(b, len(b))
				return h
			})
		}),
	}
}
