//go:build goexperiment.simd

package stats

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[adder] {
	return []kernel.Variant[adder]{{ISA: cpu.NEON, Func: addNEON}}
}
