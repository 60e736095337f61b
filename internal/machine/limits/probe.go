package limits

import "github.com/thresh-dev/thresh/internal/kernel"

// Probes returns the benchmark tasks of the scan.
func Probes() []kernel.Probe {
	return []kernel.Probe{kernel.NewProbe("limits scan", 8, 0, scans, func(f func([]byte) uint64, n int) kernel.Work {
		b := make([]byte, n)
		fillRandom(b)
		return kernel.Repeat(func() uint64 { return scanBy(f, b) })
	})}
}
