package jsonscan

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// Probes returns the tasks that the forms of the family are compared by: indented records.
func Probes() []kernel.Probe {
	const record = "  {\n    \"id\": 471100,\n    \"name\": \"user \\\"7\\\" of it\",\n    \"tags\": [\n      \"a b\",\n" +
		"      0.37454011\n    ],\n    \"active\": true\n  },\n"
	ready := func(f Func, n int) kernel.Work {
		b := []byte(strings.Repeat(record, n/len(record)+1)[:n])
		begins, escaped := make([]uint16, n+BlockBytes), make([]uint64, n/BlockBytes)
		return kernel.Work{
			Run: func(rounds int) {
				for range rounds {
					f(b, begins, escaped, State{})
				}
			},
			Answer: func() any {
				words, end, found := f(b, begins, escaped, State{})
				return fmt.Sprint(begins[:words], escaped, end, found)
			},
		}
	}
	return []kernel.Probe{kernel.NewProbe("jsonscan", BlockBytes, PieceBytes, variants, ready)}
}
