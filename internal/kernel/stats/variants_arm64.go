package stats

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[adder] {
	return []kernel.Variant[adder]{{ISA: cpu.NEON, Func: addNEON}}
}

// Bytes of a vector, and float64 lanes.
const bytesNEON, lanesNEON = 16, 2

func addNEON(s *scratch, c column, b []byte) { addVectors(s, c, b, &kernelsNEON) }

var kernelsNEON = kernels{
	ints:     [4]ints{ints8NEON, ints16NEON, ints32NEON, ints64NEON},
	decode32: decode32NEON,
	decode64: decode64NEON,
	add16:    add16NEON,

	sum16:       sum16NEON,
	vectorBytes: bytesNEON,

	withoutNaN: withoutNaNNEON,

	peel: peelNEON,
	add:  addLayerNEON,
}
