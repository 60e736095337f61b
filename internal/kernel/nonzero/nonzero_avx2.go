//go:build goexperiment.simd && amd64

package nonzero

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// indexAVX2 reads 256 bytes per iteration. The first block with a set bit ends the loop over
// blocks; the loop over vectors then finds the byte, or handles what is shorter than a block. The
// last vector overlaps the one before it. A slice shorter than a vector goes to the plain variant,
// since AVX2 has no masked load of bytes.
func indexAVX2(b []byte) int {
	const vectorBytes, blockBytes = 32, 256
	n := len(b)
	if n < vectorBytes {
		return indexPlain(b)
	}
	base := unsafe.Pointer(unsafe.SliceData(b))
	i := 0
	for ; i+blockBytes <= n; i += blockBytes {
		p := unsafe.Add(base, i)
		lower := archsimd.LoadUint64x4Array((*[4]uint64)(p)).
			Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 32)))).
			Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 64)))).
			Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 96))))
		upper := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 128))).
			Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 160)))).
			Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 192)))).
			Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 224))))
		if !lower.Or(upper).IsZero() {
			break
		}
	}
	var zero archsimd.Uint8x32
	for i < n {
		i = min(i, n-vectorBytes)
		v := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(base, i)))
		if set := ^v.Equal(zero).ToBits(); set != 0 {
			archsimd.ClearAVXUpperBits()
			return i + bits.TrailingZeros32(set)
		}
		i += vectorBytes
	}
	archsimd.ClearAVXUpperBits()
	return -1
}
