//go:build goexperiment.simd

package pattern

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{
		{ISA: cpu.NEON, Func: indexNEON},
	}
}

func vectorCounters() []kernel.Variant[Counter] {
	return []kernel.Variant[Counter]{
		{ISA: cpu.NEON, Func: countNEON},
	}
}
