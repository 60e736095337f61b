package minify

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[Kernel] {
	return []kernel.Variant[Kernel]{{ISA: cpu.NEON, Func: Kernel{summarizeNEON, minifyNEON, keptByNEON}}}
}
