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

// bytesNEON is the length of a vector.
const bytesNEON = 16

var vectorsNEON = vectors{
	bytes:    bytesNEON,
	finders:  [4]finder{index8NEON, index16NEON, index32NEON, index64NEON},
	counters: [4]counter{count8NEON, count16NEON, count32NEON, count64NEON},
}
