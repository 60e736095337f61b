package minify

import (
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// Probes returns the benchmark tasks of the family: indented records.
func Probes() []kernel.Probe {
	const record = "  {\n    \"id\": 471100,\n    \"name\": \"user \\\"7\\\" of it\",\n    \"tags\": [\n      \"a b\",\n" +
		"      0.37454011\n    ],\n    \"active\": true\n  },\n"
	text := func(n int) []byte { return []byte(strings.Repeat(record, n/len(record)+1)[:n]) }
	return []kernel.Probe{
		kernel.NewProbe("minify", 1, 0, variants, func(k Kernel, n int) kernel.Work {
			src, dst := text(n), make([]byte, n)
			return kernel.Work{
				Run: func(rounds int) {
					for range rounds {
						k.Minify(dst, src, State{})
					}
				},
				Answer: func() any {
					kept, _ := k.Minify(dst, src, State{})
					return string(dst[:kept])
				},
			}
		}),
		kernel.NewProbe("minify compress", blockBytes, 0, variants, func(k Kernel, n int) kernel.Work {
			src, dst := text(n), make([]byte, n)
			keeps := make([]uint64, n/blockBytes)
			for i := range keeps {
				for bit, c := range src[i*blockBytes:][:blockBytes] {
					if !white(c) {
						keeps[i] |= 1 << bit
					}
				}
			}
			return kernel.Work{
				Run: func(rounds int) {
					for range rounds {
						k.Compress(dst, src, keeps)
					}
				},
				Answer: func() any { return string(dst[:k.Compress(dst, src, keeps)]) },
			}
		}),
		kernel.NewProbe("minify summary", 1, 0, variants, func(k Kernel, n int) kernel.Work {
			src := text(n)
			return kernel.Repeat(func() Summary { return k.Summarize(src) })
		}),
	}
}
