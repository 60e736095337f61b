//go:build goexperiment.simd && amd64

package differ

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// differsAVX512 compares 256 bytes per iteration. See differsAVX2.
func differsAVX512(a, b []byte) int {
	const vectorBytes, blockBytes = 64, 256
	n := len(a)
	if n < vectorBytes {
		return differsPlain(a, b)
	}
	first, second := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	var zero archsimd.Uint64x8
	i := 0
	for ; i+blockBytes <= n; i += blockBytes {
		p, q := unsafe.Add(first, i), unsafe.Add(second, i)
		lower := archsimd.LoadUint64x8Array((*[8]uint64)(p)).Xor(archsimd.LoadUint64x8Array((*[8]uint64)(q))).
			Or(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 64))).
				Xor(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(q, 64)))))
		upper := archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 128))).
			Xor(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(q, 128)))).
			Or(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 192))).
				Xor(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(q, 192)))))
		if lower.Or(upper).NotEqual(zero).ToBits() != 0 {
			break
		}
	}
	for i < n {
		i = min(i, n-vectorBytes)
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(first, i)))
		w := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(second, i)))
		if set := v.NotEqual(w).ToBits(); set != 0 {
			archsimd.ClearAVXUpperBits()
			return i + bits.TrailingZeros64(set)
		}
		i += vectorBytes
	}
	archsimd.ClearAVXUpperBits()
	return -1
}

// equalsAVX512 compares a vector per iteration, the last of which overlaps the one before it.
func equalsAVX512(a, b []byte) int {
	const vectorBytes = 64
	n := len(a)
	if n < vectorBytes {
		return equalsPlain(a, b)
	}
	first, second := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i < n; {
		i = min(i, n-vectorBytes)
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(first, i)))
		w := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(second, i)))
		if set := v.Equal(w).ToBits(); set != 0 {
			archsimd.ClearAVXUpperBits()
			return i + bits.TrailingZeros64(set)
		}
		i += vectorBytes
	}
	archsimd.ClearAVXUpperBits()
	return -1
}
