package simd

import "github.com/thresh-dev/thresh/internal/machine/cpu"

//go:noescape
func compressToMemory(dst, src *byte, keeps *uint64, blocks int) (n int)

//go:noescape
func compressToRegister(dst, src *byte, keeps *uint64, blocks int) (n int)

func noCompress() string {
	if !cpu.Has(cpu.AVX512VBMI2) {
		return "needs AVX-512 VBMI2"
	}
	return ""
}
