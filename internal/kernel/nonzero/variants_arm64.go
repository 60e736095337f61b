package nonzero

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{
		{ISA: cpu.SVE, Func: indexSVE},
		{ISA: cpu.NEON, Func: indexNEON},
	}
}

// indexSVE does what Func says, for vectors of any length.
//
//go:noescape
func indexSVE(b []byte) int
