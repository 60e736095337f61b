//go:build goexperiment.simd && amd64

package rows

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// summarizeAVX512 makes each mask of a block with one comparison. A block without quotes,
// as most are inside of long fields, needs no product. See rows.go.
func summarizeAVX512(b []byte, quote byte) Summary {
	const blockBytes = 64
	wanted, feed := archsimd.BroadcastUint8x64(quote), archsimd.BroadcastUint8x64('\n')
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // takes a mask to the multiplication
	base := unsafe.Pointer(unsafe.SliceData(b))
	var all, outside int
	var inside uint64 // all ones where the next block begins inside
	i := 0
	for ; i+blockBytes <= len(b); i += blockBytes {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, i)))
		quotes, feeds := v.Equal(wanted).ToBits(), v.Equal(feed).ToBits()
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
