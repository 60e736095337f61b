//go:build goexperiment.simd && amd64

package rows

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
)

// stepAVX2 makes each mask of a word with two comparisons, otherwise like stepAVX512. See rows.go.
func stepAVX2(k *stride, b []byte, d fields.Dialect) (odd bool) {
	quote, feed := archsimd.BroadcastUint8x32(d.Quote), archsimd.BroadcastUint8x32('\n')
	delim, ones := archsimd.BroadcastUint8x32(d.Delim), archsimd.BroadcastUint64x2(1<<64-1)
	var lone archsimd.Uint64x2 // moves a mask to the multiplication
	base := unsafe.Pointer(unsafe.SliceData(b))
	i, inside, hidden, lines, any, recent := k.at, k.inside, 0, 0, uint64(0), uint64(0)
	for ; i+wordBytes <= len(b); i += wordBytes {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint8x32Array((*[32]uint8)(p))
		v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))
		quotes := uint64(v0.Equal(quote).ToBits()) | uint64(v1.Equal(quote).ToBits())<<32
		feeds := uint64(v0.Equal(feed).ToBits()) | uint64(v1.Equal(feed).ToBits())<<32
		lines += bits.OnesCount64(feeds)
		if recent = recent>>4 | quotes; recent == 0 {
			hidden += bits.OnesCount64(feeds & inside)
			continue
		}
		delims := uint64(v0.Equal(delim).ToBits()) | uint64(v1.Equal(delim).ToBits())<<32
		within := inside ^ lone.SetElem(0, quotes).CarrylessMultiplyEven(ones).GetElem(0)
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
	archsimd.ClearAVXUpperBits()
	k.goTo(b, i, inside, d)
	k.hidden, k.lines, k.quotes = k.hidden+hidden, k.lines+lines, k.quotes|any
	return odd
}
