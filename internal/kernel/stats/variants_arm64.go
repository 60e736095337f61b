//go:build goexperiment.simd

package stats

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[kernels] {
	return []kernel.Variant[kernels]{{ISA: cpu.NEON, Func: neon}}
}
