//go:build goexperiment.simd && amd64

package rows

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// summarizeAVX2 makes each mask of a block of two comparisons. See rows.go, and
// summarizeAVX512, which goes the same way.
func summarizeAVX2(b []byte, quote byte) Summary {
	const blockBytes = 64
	wanted, feed := archsimd.BroadcastUint8x32(quote), archsimd.BroadcastUint8x32('\n')
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // takes a mask to the multiplication
	base := unsafe.Pointer(unsafe.SliceData(b))
	var all, outside int
	var inside uint64 // all ones where the next block begins inside
	i := 0
	for ; i+blockBytes <= len(b); i += blockBytes {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint8x32Array((*[32]uint8)(p))
		v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))
		quotes := uint64(v0.Equal(wanted).ToBits()) | uint64(v1.Equal(wanted).ToBits())<<32
		feeds := uint64(v0.Equal(feed).ToBits()) | uint64(v1.Equal(feed).ToBits())<<32
		within := inside
		if quotes != 0 {
			within ^= lone.SetElem(0, quotes).CarrylessMultiplyEven(ones).GetElem(0)
			inside = uint64(int64(within) >> 63)
		}
		all += bits.OnesCount64(feeds)
		outside += bits.OnesCount64(feeds &^ within)
	}
	archsimd.ClearAVXUpperBits()
	whole := Summary{Feeds: int64(outside), FeedsInside: int64(all - outside), Odd: inside != 0}
	return whole.Then(summarizePlain(b[i:], quote))
}
