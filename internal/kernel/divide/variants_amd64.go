package divide

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[dividers] {
	return []kernel.Variant[dividers]{
		{ISA: cpu.AVX512, Func: dividersAVX512},
		{ISA: cpu.AVX2, Func: dividersAVX2},
	}
}

var dividersAVX2 = dividers{
	of32: [ways]divider32{shift32AVX2, fit32AVX2, excess32AVX2},
	of64: [ways]divider64{shift64AVX2, fit64AVX2, excess64AVX2},
}

// Whole 64-bit products are no faster than four products of halves even where that instruction is
// fast, and slower where it takes three micro-operations. So 64-bit numbers stay with AVX2.
var dividersAVX512 = dividers{
	of32: [ways]divider32{shift32AVX512, fit32AVX512, excess32AVX512},
	of64: [ways]divider64{shift64AVX512, fit64AVX2, excess64AVX2},
}
