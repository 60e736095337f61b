//go:build goexperiment.simd

package simd

import (
	"simd/archsimd"

	"github.com/thresh-dev/thresh/internal/cpu"
)

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

// masks returns the bits of quotes, backslashes and white space.
func masks(b *[blockBytes]byte) (quotes, slashes, white uint64) {
	v := archsimd.LoadUint8x64Array(b)
	quotes = v.Equal(archsimd.BroadcastUint8x64('"')).ToBits()
	slashes = v.Equal(archsimd.BroadcastUint8x64('\\')).ToBits()
	white = v.Equal(archsimd.BroadcastUint8x64(' ')).ToBits() | v.Equal(archsimd.BroadcastUint8x64('\n')).ToBits() |
		v.Equal(archsimd.BroadcastUint8x64('\t')).ToBits() | v.Equal(archsimd.BroadcastUint8x64('\r')).ToBits()
	return quotes, slashes, white
}

// prefixXor returns at each bit the exclusive or of all bits up to it.
func prefixXor(mask uint64) uint64 {
	var lone archsimd.Uint64x2
	return lone.SetElem(0, mask).CarrylessMultiplyEven(archsimd.BroadcastUint64x2(1<<64 - 1)).GetElem(0)
}
