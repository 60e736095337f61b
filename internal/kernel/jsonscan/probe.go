package jsonscan

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// probeBytesMax is a little more than callers describe at once.
const probeBytesMax = 32 << 10

// Probes returns the benchmark tasks of the family: indented records.
func Probes() []kernel.Probe {
	const record = "  {\n    \"id\": 471100,\n    \"name\": \"user \\\"7\\\" of it\",\n    \"tags\": [\n      \"a b\",\n" +
		"      0.37454011\n    ],\n    \"active\": true\n  },\n"
	ready := func(f Func, n int) kernel.Work {
		b := []byte(strings.Repeat(record, n/len(record)+1)[:n])
		blocks := make([]Block, n/BlockBytes)
		return kernel.Work{
			Run: func(rounds int) {
				for range rounds {
					f(b, blocks, State{})
				}
			},
			Answer: func() any {
				end, found := f(b, blocks, State{})
				return fmt.Sprint(blocks, end, found)
			},
		}
	}
	readyStrings := func(f StringsFunc, n int) kernel.Work {
		b := []byte(strings.Repeat(record, n/len(record)+1)[:n])
		ends := make([]End, n/BlockBytes)
		return kernel.Work{
			Run: func(rounds int) {
				for range rounds {
					f(b, ends, 0)
				}
			},
			Answer: func() any {
				next, found := f(b, ends, 0)
				return fmt.Sprint(ends, next, found)
			},
		}
	}
	return []kernel.Probe{
		kernel.NewProbe("jsonscan", BlockBytes, probeBytesMax, variants, ready),
		kernel.NewProbe("jsonscan-strings", BlockBytes, probeBytesMax, StringsVariants(), readyStrings),
	}
}
