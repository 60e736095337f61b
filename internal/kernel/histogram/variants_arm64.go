package histogram

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[kernels] {
	return []kernel.Variant[kernels]{{ISA: cpu.NEON, Func: kernelsNEON}}
}

var kernelsNEON = kernels{
	same: sameNEON, others: othersPlain, distances32: distances32NEON, distances64: distances64NEON, slots: slotsNEON,
}
