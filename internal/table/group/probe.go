package group

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// Probes returns the tasks for comparing the variants of the lookup: some hundred keys of 4 to
// 12 bytes, in records of 16 bytes.
func Probes() []kernel.Probe {
	const recordBytes, keysMax, tableBytes = 16, 413, 512 << 10
	ready := func(f kernels, n int) kernel.Work {
		t := &Table{layout: Layout{Merge: func(into, from []uint64) {}}, stride: headWords + 1,
			memBytes: tableBytes, seeds: seeds(1), kernels: f}
		t.lay(make([]byte, tableBytes))
		count := n / recordBytes
		text := make([]byte, 0, n+records.SlackBytes)
		column := make(records.Column, count+records.Max)
		for i := range count {
			k := uint32(i) * 2654435761 % keysMax
			key := fmt.Sprintf("%0*d", 4+k%9, k)
			column[i] = records.Span{Off: uint32(len(text)), Len: uint32(len(key))}
			text = fmt.Appendf(text, "%-*s", recordBytes, key)
		}
		sel, ids := make(records.Selection, records.Max), make([]uint32, count)
		for i := range sel {
			sel[i] = uint16(i)
		}
		look := func() {
			for at := 0; at < count; at += records.Max {
				m := min(count-at, records.Max)
				if err := t.Lookup(text, column[at:at+records.Max], sel[:m], ids[at:at+m]); err != nil {
					panic("thresh: bug: " + err.Error())
				}
			}
		}
		return kernel.Work{
			Run: func(rounds int) {
				for range rounds {
					look()
				}
			},
			Answer: func() any {
				look()
				return fmt.Sprint(ids)
			},
		}
	}
	return []kernel.Probe{kernel.NewProbe("group lookup", recordBytes, 0, variants, ready)}
}
