//go:build goexperiment.simd

package divide

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[dividers] {
	return []kernel.Variant[dividers]{
		{ISA: cpu.AVX512, Func: dividersAVX512},
		{ISA: cpu.AVX2, Func: dividersAVX2},
	}
}
