//go:build goexperiment.simd && arm64

package rows

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
)

// stepNEON builds the masks itself, since NEON has no instruction for that: a byte that is equal
// keeps only the bit of its place. Three rounds of adding neighbours of 16 bits gather the bits of
// a vector in one number of 16 bits, and those of two masks in the halves of one vector. Neighbours
// are two bytes apart, so the bytes are reordered first. See rows.go.
//
// Not every NEON has a carry-less multiplication, so six shifts replace it.
func stepNEON(k *stride, b []byte, d fields.Dialect) (odd bool) {
	order, weight := archsimd.LoadUint8x16Array(&places), archsimd.LoadUint8x16Array(&weights)
	quote, feed := archsimd.BroadcastUint8x16(d.Quote), archsimd.BroadcastUint8x16('\n')
	delim := archsimd.BroadcastUint8x16(d.Delim)
	base := unsafe.Pointer(unsafe.SliceData(b))
	i, inside, hidden, lines, any := k.at, k.inside, 0, 0, uint64(0)
	for ; i+wordBytes <= len(b); i += wordBytes {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p)).LookupOrZero(order)
		v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16))).LookupOrZero(order)
		v2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32))).LookupOrZero(order)
		v3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48))).LookupOrZero(order)
		both := quarter(v0, v1, quote, weight).ConcatAddPairs(quarter(v2, v3, quote, weight)).
			ConcatAddPairs(quarter(v0, v1, feed, weight).ConcatAddPairs(quarter(v2, v3, feed, weight))).
			ReshapeToUint32s().ReshapeToUint64s()
		quotes, feeds := both.GetElem(0), both.GetElem(1)
		lines += bits.OnesCount64(feeds)
		if quotes == 0 {
			hidden += bits.OnesCount64(feeds & inside)
			continue
		}
		half := quarter(v0, v1, delim, weight).ConcatAddPairs(quarter(v2, v3, delim, weight))
		delims := half.ConcatAddPairs(half).ReshapeToUint32s().ReshapeToUint64s().GetElem(0)
		within := inside ^ kernel.PrefixXor(quotes)
		any |= quotes
		stray := quotes & within &^ ((delims | feeds | quotes) << 1)
		if stray > 1 || stray == 1 && !k.mayOpen(b, i, d) {
			k.quoteBits, k.feedBits, k.delimBits, odd = quotes, feeds, delims, true
			break
		}
		inside = uint64(int64(within) >> 63)
		if feeds &= within; feeds != 0 {
			hidden += bits.OnesCount64(feeds)
		}
	}
	k.goTo(b, i, inside, d)
	k.hidden, k.lines, k.quotes = k.hidden+hidden, k.lines+lines, k.quotes|any
	return odd
}

// quarter is the first round of additions: the bits of the bytes of two vectors that equal b.
func quarter(v0, v1, b, weight archsimd.Uint8x16) archsimd.Uint16x8 {
	return weight.Masked(v0.Equal(b)).ReshapeToUint16s().ConcatAddPairs(weight.Masked(v1.Equal(b)).ReshapeToUint16s())
}
