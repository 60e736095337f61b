//go:build goexperiment.simd

package cpu

import "simd/archsimd"

// offered reports whether this binary holds kernels of the instruction set and the
// processor runs them.
func offered(i ISA) bool {
	switch i {
	case AVX2:
		return archsimd.X86.AVX2()
	case AVX512:
		return archsimd.X86.AVX512()
	case AVX512VBMI2:
		return archsimd.X86.AVX512() && archsimd.X86.AVX512VBMI2()
	}
	return false
}
