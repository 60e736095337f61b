//go:build goexperiment.simd && amd64

package nonzero

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// indexAVX512 reads 512 bytes per iteration. The first block with a set bit ends the loop over
// blocks; the loop over vectors then finds the byte, or handles what is shorter than a block. The
// last vector overlaps the one before it. A slice shorter than a vector is read with shorter
// vectors: LoadUint8x64Part, as compiled by Go 1.27.4, reads past the end of its slice.
func indexAVX512(b []byte) int {
	const halfBytes, vectorBytes, blockBytes = 32, 64, 512
	n := len(b)
	base := unsafe.Pointer(unsafe.SliceData(b))
	switch {
	case n < halfBytes:
		return indexPlain(b)
	case n < vectorBytes: // two that overlap
		first := archsimd.LoadUint64x4Array((*[4]uint64)(base))
		last := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(base, n-halfBytes)))
		none := first.Or(last).IsZero()
		archsimd.ClearAVXUpperBits()
		if none {
			return -1
		}
		return indexPlain(b)
	}
	var zero archsimd.Uint8x64
	i := 0
	for ; i+blockBytes <= n; i += blockBytes {
		p := unsafe.Add(base, i)
		lower := archsimd.LoadUint64x8Array((*[8]uint64)(p)).
			Or(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 64)))).
			Or(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 128)))).
			Or(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 192))))
		upper := archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 256))).
			Or(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 320)))).
			Or(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 384)))).
			Or(archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 448))))
		if lower.Or(upper).NotEqual(zero.ReshapeToUint64s()).ToBits() != 0 {
			break
		}
	}
	for i < n {
		i = min(i, n-vectorBytes)
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, i)))
		if set := v.NotEqual(zero).ToBits(); set != 0 {
			archsimd.ClearAVXUpperBits()
			return i + bits.TrailingZeros64(set)
		}
		i += vectorBytes
	}
	archsimd.ClearAVXUpperBits()
	return -1
}
