package regex

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

var pairVariants = []kernel.Variant[pairFunc]{
	{ISA: cpu.NEON, Func: pairNEON},
	{ISA: cpu.Plain, Func: pairPlain},
}

// blockNEON is how many places the scan tests at once.
const blockNEON = 64

func pairNEON(p *pair, b []byte) int {
	if len(b) < p.reach+blockNEON {
		return pairPlain(p, b)
	}
	return scanNEON(p, b)
}
