//go:build goexperiment.simd

package pattern

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{
		{ISA: cpu.AVX512, Func: indexAVX512},
		{ISA: cpu.AVX2, Func: indexAVX2},
	}
}

func vectorCounters() []kernel.Variant[Counter] {
	return []kernel.Variant[Counter]{
		{ISA: cpu.AVX512, Func: countAVX512},
		{ISA: cpu.AVX2, Func: countAVX2},
	}
}
