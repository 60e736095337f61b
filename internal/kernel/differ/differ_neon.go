//go:build goexperiment.simd && arm64

package differ

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// differsNEON compares 64 bytes per iteration. See differsAVX2.
func differsNEON(a, b []byte) int {
	const vectorBytes, blockBytes = 16, 64
	n := len(a)
	if n < vectorBytes {
		return differsPlain(a, b)
	}
	first, second := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	i := 0
	for ; i+blockBytes <= n; i += blockBytes {
		p, q := unsafe.Add(first, i), unsafe.Add(second, i)
		v0 := archsimd.LoadUint32x4Array((*[4]uint32)(p)).Xor(archsimd.LoadUint32x4Array((*[4]uint32)(q)))
		v1 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 16))).
			Xor(archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(q, 16))))
		v2 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 32))).
			Xor(archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(q, 32))))
		v3 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 48))).
			Xor(archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(q, 48))))
		if v0.Or(v1).Or(v2.Or(v3)).ReduceMax() != 0 {
			break
		}
	}
	for i < n {
		i = min(i, n-vectorBytes)
		v := archsimd.LoadUint64x2Array((*[2]uint64)(unsafe.Add(first, i))).
			Xor(archsimd.LoadUint64x2Array((*[2]uint64)(unsafe.Add(second, i))))
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

// equalsNEON compares a vector per iteration, the last of which overlaps the one before it. A loop finds
// the byte in one that has it.
func equalsNEON(a, b []byte) int {
	const vectorBytes = 16
	n := len(a)
	if n < vectorBytes {
		return equalsPlain(a, b)
	}
	first, second := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i < n; {
		i = min(i, n-vectorBytes)
		v := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(first, i)))
		w := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(second, i)))
		if v.Xor(w).ReduceMin() == 0 {
			for j := i; ; j++ {
				if *(*uint8)(unsafe.Add(first, j)) == *(*uint8)(unsafe.Add(second, j)) {
					return j
				}
			}
		}
		i += vectorBytes
	}
	return -1
}
