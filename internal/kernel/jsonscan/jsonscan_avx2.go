//go:build goexperiment.simd && amd64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// prefixAVX2 returns at each bit whether the number of bits set up to it is odd.
func prefixAVX2(mask uint64, lone, ones archsimd.Uint64x2) uint64 {
	return lone.SetElem(0, mask).CarrylessMultiplyEven(ones).GetElem(0)
}

// markAVX2 makes each mask of a block with two comparisons.
//
//gen:also markNEON
func markAVX2(b []byte, blocks []Block, at State) (State, Found) {
	w := walkFrom(at)
	quote, slash := archsimd.BroadcastUint8x32('"'), archsimd.BroadcastUint8x32('\\')
	colon, comma := archsimd.BroadcastUint8x32(':'), archsimd.BroadcastUint8x32(',')
	open, closing := archsimd.BroadcastUint8x32('{'), archsimd.BroadcastUint8x32('}')
	space, control := archsimd.BroadcastUint8x32(' '), limitAVX2(' ')
	whites := archsimd.LoadUint8x32Array((*[32]uint8)(whites[:]))
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // moves a mask to the multiplication
	var any archsimd.Uint8x32  // all bytes, ored together
	var faults, allEscaped uint64
	base := unsafe.Pointer(unsafe.SliceData(b))
	blocks = blocks[:len(b)/BlockBytes]
	for i := range blocks {
		v := loadAVX2(unsafe.Add(base, i*BlockBytes))
		any = gatherAVX2(any, v)
		m := &blocks[i]
		quotes, slashes := bothAVX2(equalAVX2(v, quote), equalAVX2(v, slash))
		var escape uint64
		if slashes|w.escaped != 0 {
			escape, w.escaped = kernel.Escapes(slashes, w.escaped)
			quotes &^= escape
			allEscaped |= escape
		}
		inside := w.inside ^ prefixAVX2(quotes, lone, ones)
		w.inside = uint64(int64(inside) >> 63)
		outside := ^(inside | quotes)
		m.Quotes, m.Inside, m.Escaped = quotes, inside, escape
		m.White = bitsAVX2(whiteAVX2(v, whites))
		faults |= bitsAVX2(belowAVX2(v, control))&inside | slashes&^inside
		m.Colon, m.Comma = bitsAVX2(equalAVX2(v, colon))&outside, bitsAVX2(equalAVX2(v, comma))&outside
		folded := orAVX2(v, space) // with bit 5 set, square brackets become braces
		m.Open, m.Close = bitsAVX2(equalAVX2(folded, open))&outside, bitsAVX2(equalAVX2(folded, closing))&outside
		m.Curly = bitsAVX2(sameAVX2(folded, v))
	}
	return w.state(), Found{Invalid: faults != 0, NonASCII: wideAVX2(any), Escapes: allEscaped != 0}
}

// A block is two vectors or four.
type (
	blockAVX2 struct{ low, high archsimd.Uint8x32 }
	maskAVX2  = uint64 // what a comparison gives: NEON gathers the bits of two comparisons at once
)

func bothAVX2(a, b maskAVX2) (uint64, uint64) { return a, b }

//gen:also bitsNEON
func bitsAVX2(m maskAVX2) uint64 {
	all, _ := bothAVX2(m, m)
	return all
}

// wideAVX2 reports whether a byte is above 0x7f. It is the last to use vectors.
func wideAVX2(any archsimd.Uint8x32) bool {
	wide := any.BitsToInt8().Less(archsimd.BroadcastInt8x32(0)).ToBits()
	archsimd.ClearAVXUpperBits()
	return wide != 0
}

func loadAVX2(p unsafe.Pointer) blockAVX2 {
	return blockAVX2{
		archsimd.LoadUint8x32Array((*[32]uint8)(p)), archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32))),
	}
}

func gatherAVX2(any archsimd.Uint8x32, v blockAVX2) archsimd.Uint8x32 {
	return any.Or(v.low).Or(v.high)
}

func equalAVX2(v blockAVX2, c archsimd.Uint8x32) maskAVX2 {
	return uint64(v.low.Equal(c).ToBits()) | uint64(v.high.Equal(c).ToBits())<<32
}

func sameAVX2(v, w blockAVX2) maskAVX2 {
	return uint64(v.low.Equal(w.low).ToBits()) | uint64(v.high.Equal(w.high).ToBits())<<32
}

// limitAVX2 returns the largest byte below c: AVX2 cannot compare unsigned numbers, but has their minimum.
func limitAVX2(c byte) archsimd.Uint8x32 { return archsimd.BroadcastUint8x32(c - 1) }

func belowAVX2(v blockAVX2, limit archsimd.Uint8x32) maskAVX2 {
	return uint64(v.low.Min(limit).Equal(v.low).ToBits()) | uint64(v.high.Min(limit).Equal(v.high).ToBits())<<32
}

func whiteAVX2(v blockAVX2, table archsimd.Uint8x32) maskAVX2 {
	return uint64(table.PermuteOrZeroGrouped(v.low.BitsToInt8()).Equal(v.low).ToBits()) |
		uint64(table.PermuteOrZeroGrouped(v.high.BitsToInt8()).Equal(v.high).ToBits())<<32
}

func orAVX2(v blockAVX2, c archsimd.Uint8x32) blockAVX2 { return blockAVX2{v.low.Or(c), v.high.Or(c)} }

func subAVX2(v blockAVX2, c archsimd.Uint8x32) blockAVX2 {
	return blockAVX2{v.low.Sub(c), v.high.Sub(c)}
}
