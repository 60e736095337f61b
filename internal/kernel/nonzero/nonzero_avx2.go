//go:build goexperiment.simd && amd64

package nonzero

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// indexAVX2 reads 256 bytes per iteration, from two stretches at a time where they are long enough.
// See kernel.PairBytes. The first block with a set bit ends the loop over blocks; the loop over
// vectors then finds the byte, or handles what is shorter than a block. The last vector overlaps
// the one before it. A slice shorter than a vector goes to the plain variant, since AVX2 has no
// masked load of bytes.
func indexAVX2(b []byte) int {
	const vectorBytes, halfBytes, blockBytes = 32, 128, 256
	n := len(b)
	if n < vectorBytes {
		return indexPlain(b)
	}
	base := unsafe.Pointer(unsafe.SliceData(b))
	i, alone := 0, kernel.NearBytes // what begins before alone is read in order
search:
	for i+blockBytes <= n {
		far, step, end := halfBytes, blockBytes, min(n-blockBytes+1, alone)
		if i >= alone && i+kernel.PairBytes <= n {
			far, step, end = kernel.StretchBytes, halfBytes, i+kernel.StretchBytes
		} else if i >= alone {
			end = n - blockBytes + 1
		}
		for ; i < end; i += step {
			p := unsafe.Add(base, i)
			q := unsafe.Add(p, far)
			lower := archsimd.LoadUint64x4Array((*[4]uint64)(p)).
				Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 32)))).
				Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 64)))).
				Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 96))))
			upper := archsimd.LoadUint64x4Array((*[4]uint64)(q)).
				Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(q, 32)))).
				Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(q, 64)))).
				Or(archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(q, 96))))
			if lower.Or(upper).IsZero() {
				continue
			}
			if far == halfBytes {
				break search
			}
			alone = n
			continue search
		}
		if far != halfBytes {
			i += far
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
