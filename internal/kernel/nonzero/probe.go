package nonzero

import "github.com/thresh-dev/thresh/internal/kernel"

// Probes returns the benchmark tasks of the family: nothing but zeros.
func Probes() []kernel.Probe {
	return []kernel.Probe{kernel.NewProbe("nonzero", 1, 0, variants, func(f Func, n int) kernel.Work {
		b, k := make([]byte, n), Kernel{kernel.Variant[Func]{Func: f}}
		return kernel.Repeat(func() int { return k.Index(b) })
	})}
}
