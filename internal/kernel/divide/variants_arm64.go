//go:build goexperiment.simd

package divide

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[dividers] {
	return []kernel.Variant[dividers]{{ISA: cpu.NEON, Func: dividersNEON}}
}
