package key

import (
	"math"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[kernels] {
	return []kernel.Variant[kernels]{
		{ISA: cpu.AVX512, Func: kernels{markAVX512, walkAVX512}},
		{ISA: cpu.AVX2, Func: kernels{markAVX2, walkAVX2}},
	}
}

// word returns all ones for true, and 0 for false.
func word(yes bool) uint64 {
	if yes {
		return math.MaxUint64
	}
	return 0
}
