//go:build goexperiment.simd && amd64

package limits

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

var scans = []kernel.Variant[func([]byte) uint64]{
	{ISA: cpu.AVX512, Func: scanAVX512},
	{ISA: cpu.AVX2, Func: scanAVX2},
	plainScan,
}

// See scanPlain; a turn joins four vectors of 64 bytes.
func scanAVX512(b []byte) uint64 {
	groups := unsafe.Slice((*[4][8]uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/256)
	var a0, a1, a2, a3 archsimd.Uint64x8
	for i := range groups {
		g := &groups[i]
		a0 = a0.Or(archsimd.LoadUint64x8Array(&g[0]))
		a1 = a1.Or(archsimd.LoadUint64x8Array(&g[1]))
		a2 = a2.Or(archsimd.LoadUint64x8Array(&g[2]))
		a3 = a3.Or(archsimd.LoadUint64x8Array(&g[3]))
	}
	i := len(groups) * 256
	for ; i+64 <= len(b); i += 64 {
		a0 = a0.Or(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Pointer(&b[i]))))
	}
	var words [8]uint64
	a0.Or(a1).Or(a2.Or(a3)).StoreArray(&words)
	archsimd.ClearAVXUpperBits()
	return words[0] | words[1] | words[2] | words[3] | words[4] | words[5] | words[6] |
		words[7] | scanTail(b[i:])
}

// See scanPlain; a turn joins four vectors of 32 bytes.
func scanAVX2(b []byte) uint64 {
	groups := unsafe.Slice((*[4][4]uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/128)
	var a0, a1, a2, a3 archsimd.Uint64x4
	for i := range groups {
		g := &groups[i]
		a0 = a0.Or(archsimd.LoadUint64x4Array(&g[0]))
		a1 = a1.Or(archsimd.LoadUint64x4Array(&g[1]))
		a2 = a2.Or(archsimd.LoadUint64x4Array(&g[2]))
		a3 = a3.Or(archsimd.LoadUint64x4Array(&g[3]))
	}
	i := len(groups) * 128
	for ; i+32 <= len(b); i += 32 {
		a0 = a0.Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Pointer(&b[i]))))
	}
	var words [4]uint64
	a0.Or(a1).Or(a2.Or(a3)).StoreArray(&words)
	archsimd.ClearAVXUpperBits()
	return words[0] | words[1] | words[2] | words[3] | scanTail(b[i:])
}
