//go:build goexperiment.simd && arm64

package rows

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// places puts the upper half of a vector between the lower one: byte i to 2*i, and byte
// i+8 to 2*i+1.
var places = [16]uint8{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}

// weights gives the bytes at 2*i and 2*i+1 their bit in the bytes of a mask.
var weights = [16]uint8{1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128}

// summarizeNEON makes the masks without an instruction for it: a byte that is equal keeps
// only the bit of its place, and three rounds of adding neighbours of 16 bits bring the
// bits of a vector together in one number of 16 bits, and those of a block's quotes and
// line feeds in the halves of one vector. As neighbours are two bytes apart, the bytes
// are brought into such an order before. See rows.go.
//
// A multiplication without carries is no part of every NEON, so six shifts do its work.
func summarizeNEON(b []byte, quote byte) Summary {
	const blockBytes = 64
	order, weight := archsimd.LoadUint8x16Array(&places), archsimd.LoadUint8x16Array(&weights)
	wanted, feed := archsimd.BroadcastUint8x16(quote), archsimd.BroadcastUint8x16('\n')
	base := unsafe.Pointer(unsafe.SliceData(b))
	var all, outside int
	var inside uint64 // all ones where the next block begins inside
	i := 0
	for ; i+blockBytes <= len(b); i += blockBytes {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p)).LookupOrZero(order)
		v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16))).LookupOrZero(order)
		v2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32))).LookupOrZero(order)
		v3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48))).LookupOrZero(order)
		q01 := weight.Masked(v0.Equal(wanted)).ReshapeToUint16s().
			ConcatAddPairs(weight.Masked(v1.Equal(wanted)).ReshapeToUint16s())
		q23 := weight.Masked(v2.Equal(wanted)).ReshapeToUint16s().
			ConcatAddPairs(weight.Masked(v3.Equal(wanted)).ReshapeToUint16s())
		f01 := weight.Masked(v0.Equal(feed)).ReshapeToUint16s().
			ConcatAddPairs(weight.Masked(v1.Equal(feed)).ReshapeToUint16s())
		f23 := weight.Masked(v2.Equal(feed)).ReshapeToUint16s().
			ConcatAddPairs(weight.Masked(v3.Equal(feed)).ReshapeToUint16s())
		both := q01.ConcatAddPairs(q23).ConcatAddPairs(f01.ConcatAddPairs(f23)).
			ReshapeToUint32s().ReshapeToUint64s()
		quotes, feeds := both.GetElem(0), both.GetElem(1)
		within := inside
		if quotes != 0 {
			within ^= prefixXor(quotes)
			inside = uint64(int64(within) >> 63)
		}
		all += bits.OnesCount64(feeds)
		outside += bits.OnesCount64(feeds &^ within)
	}
	whole := Summary{Feeds: int64(outside), FeedsInside: int64(all - outside), Odd: inside != 0}
	return whole.Then(summarizePlain(b[i:], quote))
}

// prefixXor returns at each bit the exclusive or of all bits up to it: after the shift by
// 1<<i, a bit stands for the 2<<i places that end there.
func prefixXor(mask uint64) uint64 {
	mask ^= mask << 1
	mask ^= mask << 2
	mask ^= mask << 4
	mask ^= mask << 8
	mask ^= mask << 16
	return mask ^ mask<<32
}
