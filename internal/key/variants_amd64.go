//go:build goexperiment.simd

package key

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[markFunc] {
	return []kernel.Variant[markFunc]{
		{ISA: cpu.AVX512, Func: markAVX512},
		{ISA: cpu.AVX2, Func: markAVX2},
	}
}
