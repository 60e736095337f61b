package key

import (
	"math"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[forms] {
	return []kernel.Variant[forms]{
		{ISA: cpu.AVX512, Func: forms{markAVX512, walkAVX512}},
		{ISA: cpu.AVX2, Func: forms{markAVX2, walkAVX2}},
	}
}

// word is all ones or none.
func word(yes bool) uint64 {
	if yes {
		return math.MaxUint64
	}
	return 0
}
