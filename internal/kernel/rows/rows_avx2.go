//go:build goexperiment.simd && amd64

package rows

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
)

// stepAVX2 makes each mask of a word with two comparisons. A word without quotes needs no product;
// inside long fields most words are like that. But a quote is remembered for up to 16 words, because a branch that is
// mispredicted takes longer than a product. See rows.go.
//
//gen:also stepNEON
func stepAVX2(k *stride, b []byte, d fields.Dialect) (odd bool) {
	quote, feed := archsimd.BroadcastUint8x32(d.Quote), archsimd.BroadcastUint8x32('\n')
	delim, ones := archsimd.BroadcastUint8x32(d.Delim), archsimd.BroadcastUint64x2(1<<64-1)
	var lone archsimd.Uint64x2 // moves a mask to the multiplication
	base := unsafe.Pointer(unsafe.SliceData(b))
	i, inside, hidden, lines, any, recent := k.at, k.inside, 0, 0, uint64(0), uint64(0)
	for ; i+wordBytes <= len(b); i += wordBytes {
		v := loadAVX2(unsafe.Add(base, i))
		quotes, feeds := bothAVX2(equalAVX2(v, quote), equalAVX2(v, feed))
		lines += bits.OnesCount64(feeds)
		if recent = recent>>4 | quotes; recent == 0 {
			hidden += bits.OnesCount64(feeds & inside)
			continue
		}
		delims := bitsAVX2(equalAVX2(v, delim))
		within := inside ^ prefixAVX2(quotes, lone, ones)
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
	clearAVX2()
	k.goTo(b, i, inside, d)
	k.hidden, k.lines, k.quotes = k.hidden+hidden, k.lines+lines, k.quotes|any
	return odd
}

// A word's bytes are two vectors or four.
type blockAVX2 struct{ low, high archsimd.Uint8x32 }

// maskAVX2 is what a comparison gives: NEON gathers the bits of two comparisons at once.
type maskAVX2 = uint64

func bothAVX2(a, b maskAVX2) (uint64, uint64) { return a, b }

//gen:also bitsNEON
func bitsAVX2(m maskAVX2) uint64 {
	all, _ := bothAVX2(m, m)
	return all
}

// prefixAVX2 returns at each bit whether the number of bits set up to it is odd.
func prefixAVX2(mask uint64, lone, ones archsimd.Uint64x2) uint64 {
	return lone.SetElem(0, mask).CarrylessMultiplyEven(ones).GetElem(0)
}

func clearAVX2() { archsimd.ClearAVXUpperBits() }

func loadAVX2(p unsafe.Pointer) blockAVX2 {
	return blockAVX2{
		archsimd.LoadUint8x32Array((*[32]uint8)(p)), archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32))),
	}
}

func equalAVX2(v blockAVX2, c archsimd.Uint8x32) maskAVX2 {
	return uint64(v.low.Equal(c).ToBits()) | uint64(v.high.Equal(c).ToBits())<<32
}
