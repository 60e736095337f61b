//go:build goexperiment.simd && amd64

package differ

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// differsAVX2 compares blocks of four vectors. The first block that differs ends the loop over blocks; the loop over
// vectors then finds the byte, or handles what is shorter than a block. The last vector overlaps the one before it.
// Slices shorter than a vector go to the plain variant, since AVX2 has no masked load of bytes.
func differsAVX2(a, b []byte) int {
	const blockBytes = 4 * bytesAVX2
	n := len(a)
	if n < bytesAVX2 {
		return differsPlain(a, b)
	}
	first, second := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	i := 0
	for ; i+blockBytes <= n; i += blockBytes {
		p, q := unsafe.Add(first, i), unsafe.Add(second, i)
		lower := archsimd.LoadUint64x4Array((*[4]uint64)(p)).Xor(archsimd.LoadUint64x4Array((*[4]uint64)(q))).
			Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, bytesAVX2))).
				Xor(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(q, bytesAVX2)))))
		upper := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 2*bytesAVX2))).
			Xor(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(q, 2*bytesAVX2)))).
			Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 3*bytesAVX2))).
				Xor(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(q, 3*bytesAVX2)))))
		if anyAVX2(lower.Or(upper)) {
			break
		}
	}
	for i < n {
		i = min(i, n-bytesAVX2)
		v := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(first, i)))
		w := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(second, i)))
		if set := unequalAVX2(v, w); set != 0 {
			archsimd.ClearAVXUpperBits()
			return i + bits.TrailingZeros64(uint64(set))
		}
		i += bytesAVX2
	}
	archsimd.ClearAVXUpperBits()
	return -1
}

// equalsAVX2 compares a vector per iteration, the last of which overlaps the one before it.
func equalsAVX2(a, b []byte) int {
	n := len(a)
	if n < bytesAVX2 {
		return equalsPlain(a, b)
	}
	first, second := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i < n; {
		i = min(i, n-bytesAVX2)
		v := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(first, i)))
		w := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(second, i)))
		if set := v.Equal(w).ToBits(); set != 0 {
			archsimd.ClearAVXUpperBits()
			return i + bits.TrailingZeros64(uint64(set))
		}
		i += bytesAVX2
	}
	archsimd.ClearAVXUpperBits()
	return -1
}

func anyAVX2(set archsimd.Uint64x4) bool { return !set.IsZero() }

func unequalAVX2(v, w archsimd.Uint8x32) uint32 { return ^v.Equal(w).ToBits() }
