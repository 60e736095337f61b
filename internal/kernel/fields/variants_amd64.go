//go:build goexperiment.simd

package fields

import (
	"simd/archsimd"

	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

// vectorVariants leaves AVX-512 out where it is without VBMI2, as it was before 2019: the
// list of places is made by an instruction of that part.
func vectorVariants() []kernel.Variant[Func] {
	narrow := kernel.Variant[Func]{ISA: cpu.AVX2, Func: markAVX2}
	if !archsimd.X86.AVX512VBMI2() {
		return []kernel.Variant[Func]{narrow}
	}
	return []kernel.Variant[Func]{{ISA: cpu.AVX512, Func: markAVX512}, narrow}
}
