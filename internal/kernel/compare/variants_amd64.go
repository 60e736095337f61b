//go:build goexperiment.simd

package compare

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[searcher] {
	return []kernel.Variant[searcher]{
		{ISA: cpu.AVX512, Func: indexAVX512},
		{ISA: cpu.AVX2, Func: indexAVX2},
	}
}

func vectorCounters() []kernel.Variant[counter] {
	return []kernel.Variant[counter]{
		{ISA: cpu.AVX512, Func: countAVX512},
		{ISA: cpu.AVX2, Func: countAVX2},
	}
}
