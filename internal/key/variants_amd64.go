//go:build goexperiment.simd

package key

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[scanFunc] {
	return []kernel.Variant[scanFunc]{
		{ISA: cpu.AVX512, Func: scanAVX512},
		{ISA: cpu.AVX2, Func: scanAVX2},
	}
}
