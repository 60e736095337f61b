package compare

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[searcher] {
	return []kernel.Variant[searcher]{{ISA: cpu.NEON, Func: vectorsNEON.index}}
}

func vectorCounters() []kernel.Variant[counter] {
	return []kernel.Variant[counter]{{ISA: cpu.NEON, Func: vectorsNEON.count}}
}

var vectorsNEON = vectors{
	bytes:    16,
	finders:  [4]finder{index8NEON, index16NEON, index32NEON, index64NEON},
	counters: [4]counter{count8NEON, count16NEON, count32NEON, count64NEON},
}
