//go:build goexperiment.simd && arm64

package nonzero

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// indexNEON reads 128 bytes per iteration. The first block with a set bit ends the loop over
// blocks; the loop over vectors then finds the byte, or handles what is shorter than a block. The
// last vector overlaps the one before it. A slice shorter than a vector goes to the plain variant.
func indexNEON(b []byte) int {
	const vectorBytes, blockBytes = 16, 128
	n := len(b)
	if n < vectorBytes {
		return indexPlain(b)
	}
	base := unsafe.Pointer(unsafe.SliceData(b))
	i := 0
	for ; i+blockBytes <= n; i += blockBytes {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint32x4Array((*[4]uint32)(p))
		v1 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 16)))
		v2 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 32)))
		v3 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 48)))
		v4 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 64)))
		v5 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 80)))
		v6 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 96)))
		v7 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 112)))
		if v0.Or(v1).Or(v2.Or(v3)).Or(v4.Or(v5).Or(v6.Or(v7))).ReduceMax() != 0 {
			break
		}
	}
	for i < n {
		i = min(i, n-vectorBytes)
		v := archsimd.LoadUint64x2Array((*[2]uint64)(unsafe.Add(base, i)))
		if lower := v.GetElem(0); lower != 0 {
			return i + bits.TrailingZeros64(lower)/8
		}
		if upper := v.GetElem(1); upper != 0 {
			return i + 8 + bits.TrailingZeros64(upper)/8
		}
		i += vectorBytes
	}
	return -1
}
