package group

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[forms] {
	return []kernel.Variant[forms]{{ISA: cpu.NEON, Func: forms{sendNEON, compareNEON}}}
}
