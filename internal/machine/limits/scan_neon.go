//go:build goexperiment.simd && arm64

package limits

import (
	"simd/archsimd"
	"unsafe"
)

// See scanPlain; an iteration ORs eight vectors of 16 bytes.
func scanNEON(b []byte) uint64 {
	const turnBytes = 128
	var a0, a1, a2, a3 archsimd.Uint64x2
	base, i := unsafe.Pointer(unsafe.SliceData(b)), 0
	for ; i+turnBytes <= len(b); i += turnBytes {
		v := (*[8][2]uint64)(unsafe.Add(base, i))
		a0 = a0.Or(archsimd.LoadUint64x2Array(&v[0])).Or(archsimd.LoadUint64x2Array(&v[4]))
		a1 = a1.Or(archsimd.LoadUint64x2Array(&v[1])).Or(archsimd.LoadUint64x2Array(&v[5]))
		a2 = a2.Or(archsimd.LoadUint64x2Array(&v[2])).Or(archsimd.LoadUint64x2Array(&v[6]))
		a3 = a3.Or(archsimd.LoadUint64x2Array(&v[3])).Or(archsimd.LoadUint64x2Array(&v[7]))
	}
	all := a0.Or(a1).Or(a2.Or(a3))
	return all.GetElem(0) | all.GetElem(1) | scanTail(b[i:])
}
