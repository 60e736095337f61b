//go:build goexperiment.simd

package stats

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[kernels] {
	return []kernel.Variant[kernels]{
		{ISA: cpu.AVX512, Func: avx512},
		{ISA: cpu.AVX2, Func: avx2},
	}
}
