//go:build goexperiment.simd

package rows

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{
		{ISA: cpu.AVX512, Func: walkAVX512},
		{ISA: cpu.AVX2, Func: walkAVX2},
	}
}
