package differ

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[pair] {
	return []kernel.Variant[pair]{{ISA: cpu.NEON, Func: pair{differsNEON, equalsNEON}}}
}
