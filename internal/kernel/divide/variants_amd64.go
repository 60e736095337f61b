package divide

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[dividers] {
	return []kernel.Variant[dividers]{{ISA: cpu.AVX2, Func: dividersAVX2}}
}

var dividersAVX2 = dividers{
	of32: [ways]divider[uint32]{shift32AVX2, fit32AVX2, excess32AVX2},
	of64: [ways]divider[uint64]{shift64AVX2, fit64AVX2, excess64AVX2},
}

// Bytes of values, for kernels that are derived from each other.
const width32, width64 = 4, 8
