package key

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// Probes returns the tasks for comparing the variants of the scan: the first name after a
// comma, in fields of 32 bytes.
func Probes() []kernel.Probe {
	const field, most = "HAMILTON-SMITH, JOHN Q MR       ", 256 << 10
	ready := func(v kernel.Variant[kernels], n int) kernel.Work {
		pattern, err := Compile(`, *([^, ]+)`)
		if err != nil {
			panic("thresh: bug: " + err.Error())
		}
		pattern.kernels = v
		finder, count := pattern.Finder(), n/len(field)
		text := []byte(strings.Repeat(field, count) + strings.Repeat(" ", records.SlackBytes))
		column, out := make(records.Column, count), make(records.Column, records.Max)
		for i := range column {
			column[i] = records.Span{Off: uint32(i * len(field)), Len: uint32(len(strings.TrimRight(field, " ")))}
		}
		sel, kept := make(records.Selection, records.Max), make(records.Selection, records.Max)
		for i := range sel {
			sel[i] = uint16(i)
		}
		batches := func() (found int) {
			for rest := column; len(rest) > 0; {
				part := rest[:min(len(rest), records.Max)]
				found += len(finder.scan(text, part, sel[:len(part)], out, kept[:0]))
				rest = rest[len(part):]
			}
			return found
		}
		return kernel.Work{
			Run: func(rounds int) {
				for range rounds {
					batches()
				}
			},
			Answer: func() any { return fmt.Sprint(batches(), out[:min(count, records.Max)]) },
		}
	}
	p := kernel.Probe{Name: "key scan", StepBytes: len(field), MaxBytes: most}
	for _, v := range variants { // scan looks at the instruction set too
		work := func(n int) kernel.Work { return ready(v, n) }
		p.Variants = append(p.Variants, kernel.Variant[func(int) kernel.Work]{ISA: v.ISA, Func: work})
	}
	return []kernel.Probe{p}
}
