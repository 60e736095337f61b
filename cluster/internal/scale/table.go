package scale

import (
	"fmt"
	"strings"
)

// The cluster of the table: machines that scan 3 GB a second each, as they can from a network of 25 Gbit/s. The times
// are those of Flink; "make cluster-rate" measures the range's.
const (
	tableRate       = 3e9
	tableRangeBytes = 1 << 30
	tableRangeTime  = 0.01
	tableJobTime    = 30
)

// Table returns what the model says about jobs of several sizes, as a table in Markdown.
func Table() string {
	var b strings.Builder
	storages := []float64{10e9, 100e9, 1000e9}
	b.WriteString("| bytes | workers |")
	for _, s := range storages {
		fmt.Fprintf(&b, " storage of %.0f GB/s |", s/1e9)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(storages)) + "\n")
	for _, bytes := range []float64{1e12, 10e12, 100e12, 1e15} {
		for _, workers := range []int{10, 100, 1000} {
			fmt.Fprintf(&b, "| %.0f TB | %d |", bytes/1e12, workers)
			for _, s := range storages {
				e := Model(Job{Bytes: bytes, RangeBytes: tableRangeBytes, Workers: workers, Rate: tableRate, Storage: s,
					RangeTime: tableRangeTime, JobTime: tableJobTime, SlowTimes: 1})
				fmt.Fprintf(&b, " %s, %s |", duration(e.Time), e.Wall)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// duration writes seconds for people.
func duration(s float64) string {
	switch {
	case s < 300:
		return fmt.Sprintf("%.0f s", s)
	case s < 2*3600:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}
