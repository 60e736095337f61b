package literals

import (
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// Probes returns the benchmark task of the first filter: count in a log five words, one of which is
// in every line.
func Probes() []kernel.Probe {
	const line = "2026-03-04T10:11:12Z INFO req=7f3b9d user=1234 path=/v1/items status=200 took=12ms\n"
	var list []Literal
	for _, word := range []string{"ERROR", "WARN", "panic", "timeout", "status=200"} {
		list = append(list, Literal{Value: []byte(word)})
	}
	return []kernel.Probe{
		kernel.NewProbe("literals", 1, 0, variants, func(f Marker, n int) kernel.Work {
			b := []byte(strings.Repeat(line, n/len(line)+1)[:n])
			s, err := compile(list, false, kernel.Variant[Marker]{Func: f})
			if err != nil {
				panic("thresh: bug: " + err.Error())
			}
			return kernel.Repeat(func() (hits int) {
				s.All(b, len(b), func(int, int) bool {
					hits++
					return true
				})
				return hits
			})
		}),
	}
}
