//go:build goexperiment.simd && amd64

package differ

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// differsAVX2 compares 128 bytes per iteration. The first block that differs ends the loop over blocks; the loop over
// vectors then finds the byte, or handles what is shorter than a block. The last vector overlaps the one before it.
// Slices shorter than a vector go to the plain variant, since AVX2 has no masked load of bytes.
func differsAVX2(a, b []byte) int {
	const vectorBytes, blockBytes = 32, 128
	n := len(a)
	if n < vectorBytes {
		return differsPlain(a, b)
	}
	first, second := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	i := 0
	for ; i+blockBytes <= n; i += blockBytes {
		p, q := unsafe.Add(first, i), unsafe.Add(second, i)
		lower := archsimd.LoadUint64x4Array((*[4]uint64)(p)).Xor(archsimd.LoadUint64x4Array((*[4]uint64)(q))).
			Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 32))).
				Xor(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(q, 32)))))
		upper := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 64))).
			Xor(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(q, 64)))).
			Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 96))).
				Xor(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(q, 96)))))
		if !lower.Or(upper).IsZero() {
			break
		}
	}
	for i < n {
		i = min(i, n-vectorBytes)
		v := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(first, i)))
		w := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(second, i)))
		if set := ^v.Equal(w).ToBits(); set != 0 {
			archsimd.ClearAVXUpperBits()
			return i + bits.TrailingZeros32(set)
		}
		i += vectorBytes
	}
	archsimd.ClearAVXUpperBits()
	return -1
}

// equalsAVX2 compares a vector per iteration, the last of which overlaps the one before it.
func equalsAVX2(a, b []byte) int {
	const vectorBytes = 32
	n := len(a)
	if n < vectorBytes {
		return equalsPlain(a, b)
	}
	first, second := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i < n; {
		i = min(i, n-vectorBytes)
		v := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(first, i)))
		w := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(second, i)))
		if set := v.Equal(w).ToBits(); set != 0 {
			archsimd.ClearAVXUpperBits()
			return i + bits.TrailingZeros32(set)
		}
		i += vectorBytes
	}
	archsimd.ClearAVXUpperBits()
	return -1
}
