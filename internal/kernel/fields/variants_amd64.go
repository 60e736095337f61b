//go:build goexperiment.simd

package fields

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

// vectorVariants leaves AVX-512 out where it is without VBMI2, as it was before 2019: the
// list of places is made by an instruction of that part.
func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{
		{ISA: cpu.AVX512VBMI2, Func: markAVX512},
		{ISA: cpu.AVX2, Func: markAVX2},
	}
}
