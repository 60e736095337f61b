//go:build goexperiment.simd && amd64

package differ

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// differsAVX512 compares blocks of four vectors. The first block that differs ends the loop over blocks; the loop over
// vectors then finds the byte, or handles what is shorter than a block. The last vector overlaps the one before it.
// Slices shorter than a vector go to the plain variant, since AVX2 has no masked load of bytes.
//
//gen:also differsAVX2
func differsAVX512(a, b []byte) int {
	const blockBytes = 4 * bytesAVX512
	n := len(a)
	if n < bytesAVX512 {
		return differsPlain(a, b)
	}
	first, second := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	i := 0
	for ; i+blockBytes <= n; i += blockBytes {
		p, q := unsafe.Add(first, i), unsafe.Add(second, i)
		lower := archsimd.LoadUint64x8Array((*[8]uint64)(p)).Xor(archsimd.LoadUint64x8Array((*[8]uint64)(q))).
			Or(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, bytesAVX512))).
				Xor(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(q, bytesAVX512)))))
		upper := archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 2*bytesAVX512))).
			Xor(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(q, 2*bytesAVX512)))).
			Or(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 3*bytesAVX512))).
				Xor(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(q, 3*bytesAVX512)))))
		if anyAVX512(lower.Or(upper)) {
			break
		}
	}
	for i < n {
		i = min(i, n-bytesAVX512)
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(first, i)))
		w := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(second, i)))
		if set := unequalAVX512(v, w); set != 0 {
			archsimd.ClearAVXUpperBits()
			return i + bits.TrailingZeros64(uint64(set))
		}
		i += bytesAVX512
	}
	archsimd.ClearAVXUpperBits()
	return -1
}

// equalsAVX512 compares a vector per iteration, the last of which overlaps the one before it.
//
//gen:also equalsAVX2
func equalsAVX512(a, b []byte) int {
	n := len(a)
	if n < bytesAVX512 {
		return equalsPlain(a, b)
	}
	first, second := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i < n; {
		i = min(i, n-bytesAVX512)
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(first, i)))
		w := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(second, i)))
		if set := v.Equal(w).ToBits(); set != 0 {
			archsimd.ClearAVXUpperBits()
			return i + bits.TrailingZeros64(uint64(set))
		}
		i += bytesAVX512
	}
	archsimd.ClearAVXUpperBits()
	return -1
}

func anyAVX512(set archsimd.Uint64x8) bool {
	var zero archsimd.Uint64x8
	return set.NotEqual(zero).ToBits() != 0
}

func unequalAVX512(v, w archsimd.Uint8x64) uint64 { return v.NotEqual(w).ToBits() }
