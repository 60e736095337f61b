package group

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[forms] {
	return []kernel.Variant[forms]{{ISA: cpu.NEON, Func: forms{sendNEON, compareNEON}}}
}
