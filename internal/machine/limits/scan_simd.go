//go:build goexperiment.simd && amd64

package limits

import (
	"simd/archsimd"
	"unsafe"
)

// See scanPlain; an iteration ORs four vectors of 32 bytes.
func scanAVX2(b []byte) uint64 {
	const vectorBytes, turnBytes = 32, 128
	var a0, a1, a2, a3 archsimd.Uint64x4
	base, i := unsafe.Pointer(unsafe.SliceData(b)), 0
	for ; i+turnBytes <= len(b); i += turnBytes {
		v := (*[4][4]uint64)(unsafe.Add(base, i))
		a0 = a0.Or(archsimd.LoadUint64x4Array(&v[0]))
		a1 = a1.Or(archsimd.LoadUint64x4Array(&v[1]))
		a2 = a2.Or(archsimd.LoadUint64x4Array(&v[2]))
		a3 = a3.Or(archsimd.LoadUint64x4Array(&v[3]))
	}
	for ; i+vectorBytes <= len(b); i += vectorBytes {
		a0 = a0.Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(base, i))))
	}
	var words [4]uint64
	a0.Or(a1).Or(a2.Or(a3)).StoreArray(&words)
	archsimd.ClearAVXUpperBits()
	return words[0] | words[1] | words[2] | words[3] | scanTail(b[i:])
}
