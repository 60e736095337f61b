//go:build goexperiment.simd && (amd64 || arm64)

package cpu

import (
	"runtime"
	"simd/archsimd"

	"golang.org/x/sys/cpu"
)

// offered reports whether this binary holds kernels of the instruction set and the
// processor runs them. Every arm64 processor that Go supports has NEON.
func offered(i ISA) bool {
	switch i {
	case NEON:
		return runtime.GOARCH == "arm64"
	case SVE:
		return cpu.ARM64.HasSVE
	case AVX2:
		return archsimd.X86.AVX2()
	case AVX512:
		return archsimd.X86.AVX512()
	case AVX512VBMI2:
		return archsimd.X86.AVX512() && archsimd.X86.AVX512VBMI2()
	}
	return false
}
