package group

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[kernels] {
	return []kernel.Variant[kernels]{{ISA: cpu.NEON, Func: kernels{sendNEON, compareNEON}}}
}
