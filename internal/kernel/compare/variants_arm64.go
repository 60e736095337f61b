//go:build goexperiment.simd

package compare

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[searcher] {
	return []kernel.Variant[searcher]{{ISA: cpu.NEON, Func: indexNEON}}
}

func vectorCounters() []kernel.Variant[counter] {
	return []kernel.Variant[counter]{{ISA: cpu.NEON, Func: countNEON}}
}
