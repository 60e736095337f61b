//go:build goexperiment.simd && amd64

package rows

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
)

// stepAVX512 makes each mask of a word with one comparison. A word without quotes needs no product;
// inside long fields most words are like that. But a quote is remembered for up to 16 words, because a branch that is
// mispredicted takes longer than a product. See rows.go.
//
//gen:also stepAVX2 stepNEON
func stepAVX512(k *stride, b []byte, d fields.Dialect) (odd bool) {
	quote, feed := archsimd.BroadcastUint8x64(d.Quote), archsimd.BroadcastUint8x64('\n')
	delim, ones := archsimd.BroadcastUint8x64(d.Delim), archsimd.BroadcastUint64x2(1<<64-1)
	var lone archsimd.Uint64x2 // moves a mask to the multiplication
	base := unsafe.Pointer(unsafe.SliceData(b))
	i, inside, hidden, lines, any, recent := k.at, k.inside, 0, 0, uint64(0), uint64(0)
	for ; i+wordBytes <= len(b); i += wordBytes {
		v := loadAVX512(unsafe.Add(base, i))
		quotes, feeds := bothAVX512(equalAVX512(v, quote), equalAVX512(v, feed))
		lines += bits.OnesCount64(feeds)
		if recent = recent>>4 | quotes; recent == 0 {
			hidden += bits.OnesCount64(feeds & inside)
			continue
		}
		delims := bitsAVX512(equalAVX512(v, delim))
		within := inside ^ prefixAVX512(quotes, lone, ones)
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
	clearAVX512()
	k.goTo(b, i, inside, d)
	k.hidden, k.lines, k.quotes = k.hidden+hidden, k.lines+lines, k.quotes|any
	return odd
}

// A word's bytes are one vector, two or four.
type blockAVX512 = archsimd.Uint8x64

// maskAVX512 is what a comparison gives: NEON gathers the bits of two comparisons at once.
type maskAVX512 = uint64

//gen:also bothAVX2
func bothAVX512(a, b maskAVX512) (uint64, uint64) { return a, b }

//gen:also bitsAVX2 bitsNEON
func bitsAVX512(m maskAVX512) uint64 {
	all, _ := bothAVX512(m, m)
	return all
}

// prefixAVX512 returns at each bit whether the number of bits set up to it is odd.
//
//gen:also prefixAVX2
func prefixAVX512(mask uint64, lone, ones archsimd.Uint64x2) uint64 {
	return lone.SetElem(0, mask).CarrylessMultiplyEven(ones).GetElem(0)
}

//gen:also clearAVX2
func clearAVX512() { archsimd.ClearAVXUpperBits() }

func loadAVX512(p unsafe.Pointer) blockAVX512 { return archsimd.LoadUint8x64Array((*[64]uint8)(p)) }

func equalAVX512(v blockAVX512, c archsimd.Uint8x64) maskAVX512 { return v.Equal(c).ToBits() }
