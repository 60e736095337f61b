//go:build goexperiment.simd && arm64

package rows

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// NEON has no instruction that makes masks: a byte that is equal keeps only the bit of its place, and three rounds of
// adding neighbours of 16 bits gather the bits of two masks. Neighbours are two bytes apart, so the bytes are reordered
// first. The functions that are not here are derived from those of AVX2.
type (
	blockNEON struct{ v0, v1, v2, v3 archsimd.Uint8x16 }
	maskNEON  = archsimd.Uint16x8 // 16 bits for each two bytes of a word
)

func loadNEON(p unsafe.Pointer) blockNEON {
	order := archsimd.LoadUint8x16Array(&places)
	return blockNEON{
		archsimd.LoadUint8x16Array((*[16]uint8)(p)).LookupOrZero(order),
		archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16))).LookupOrZero(order),
		archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32))).LookupOrZero(order),
		archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48))).LookupOrZero(order),
	}
}

func equalNEON(v blockNEON, c archsimd.Uint8x16) maskNEON {
	return quarter(v.v0, v.v1, c).ConcatAddPairs(quarter(v.v2, v.v3, c))
}

// quarter is the first round of additions: the bits of the bytes of two vectors that equal b.
func quarter(v0, v1, b archsimd.Uint8x16) archsimd.Uint16x8 {
	weight := archsimd.LoadUint8x16Array(&weights)
	return weight.Masked(v0.Equal(b)).ReshapeToUint16s().ConcatAddPairs(weight.Masked(v1.Equal(b)).ReshapeToUint16s())
}

func bothNEON(a, b maskNEON) (uint64, uint64) {
	pairs := a.ConcatAddPairs(b).ReshapeToUint32s().ReshapeToUint64s()
	return pairs.GetElem(0), pairs.GetElem(1)
}

// prefixNEON makes six shifts: not every NEON has a carry-less multiplication.
func prefixNEON(mask uint64, _, _ archsimd.Uint64x2) uint64 { return kernel.PrefixXor(mask) }

func clearNEON() {}
