//go:build goexperiment.simd && arm64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// NEON has no instruction that makes masks: a byte that is equal keeps only the bit of its place, and rounds of adding
// neighbours of 16 bits gather the bits of a block. Neighbours are two bytes apart, so the bytes are reordered first.
// The functions that are not here are derived from those of AVX2.
type (
	blockNEON struct{ v0, v1, v2, v3 archsimd.Uint8x16 }
	maskNEON  = archsimd.Uint16x8 // 16 bits for each two bytes of a block
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

// masked gathers the bits of the four quarters of a block.
func masked(m0, m1, m2, m3 archsimd.Mask8x16) maskNEON {
	weight := archsimd.LoadUint8x16Array(&weights)
	m01 := weight.Masked(m0).ReshapeToUint16s().ConcatAddPairs(weight.Masked(m1).ReshapeToUint16s())
	m23 := weight.Masked(m2).ReshapeToUint16s().ConcatAddPairs(weight.Masked(m3).ReshapeToUint16s())
	return m01.ConcatAddPairs(m23)
}

func bothNEON(a, b maskNEON) (uint64, uint64) {
	pairs := a.ConcatAddPairs(b).ReshapeToUint32s().ReshapeToUint64s()
	return pairs.GetElem(0), pairs.GetElem(1)
}

// prefixNEON makes six shifts: not every NEON has a carry-less multiplication.
func prefixNEON(mask uint64, _, _ archsimd.Uint64x2) uint64 { return kernel.PrefixXor(mask) }

func wideNEON(any archsimd.Uint8x16) bool { return any.ReduceMax() > 0x7f }

func gatherNEON(any archsimd.Uint8x16, v blockNEON) archsimd.Uint8x16 {
	return any.Or(v.v0).Or(v.v1).Or(v.v2.Or(v.v3))
}

func equalNEON(v blockNEON, c archsimd.Uint8x16) maskNEON {
	return masked(v.v0.Equal(c), v.v1.Equal(c), v.v2.Equal(c), v.v3.Equal(c))
}

func sameNEON(v, w blockNEON) maskNEON {
	return masked(v.v0.Equal(w.v0), v.v1.Equal(w.v1), v.v2.Equal(w.v2), v.v3.Equal(w.v3))
}

func limitNEON(c byte) archsimd.Uint8x16 { return archsimd.BroadcastUint8x16(c) }

func belowNEON(v blockNEON, limit archsimd.Uint8x16) maskNEON {
	return masked(v.v0.Less(limit), v.v1.Less(limit), v.v2.Less(limit), v.v3.Less(limit))
}

func whiteNEON(v blockNEON, table archsimd.Uint8x16) maskNEON {
	half := archsimd.BroadcastUint8x16(0x0f)
	return masked(table.LookupOrZero(v.v0.And(half)).Equal(v.v0), table.LookupOrZero(v.v1.And(half)).Equal(v.v1),
		table.LookupOrZero(v.v2.And(half)).Equal(v.v2), table.LookupOrZero(v.v3.And(half)).Equal(v.v3))
}

func orNEON(v blockNEON, c archsimd.Uint8x16) blockNEON {
	return blockNEON{v.v0.Or(c), v.v1.Or(c), v.v2.Or(c), v.v3.Or(c)}
}

func subNEON(v blockNEON, c archsimd.Uint8x16) blockNEON {
	return blockNEON{v.v0.Sub(c), v.v1.Sub(c), v.v2.Sub(c), v.v3.Sub(c)}
}
