package minify

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Kernel] {
	return []kernel.Variant[Kernel]{{ISA: cpu.NEON, Func: Kernel{summarizeNEON, minifyNEON, keptByNEON}}}
}
