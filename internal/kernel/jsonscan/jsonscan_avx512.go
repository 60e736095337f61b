//go:build goexperiment.simd && amd64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// prefixAVX512 returns at each bit whether the number of bits set up to it is odd.
//
//gen:also prefixAVX2
func prefixAVX512(mask uint64, lone, ones archsimd.Uint64x2) uint64 {
	return lone.SetElem(0, mask).CarrylessMultiplyEven(ones).GetElem(0)
}

// markAVX512 makes each mask of a block with one comparison.
//
//gen:also markAVX2 markNEON
func markAVX512(b []byte, blocks []Block, at State) (State, Found) {
	w := walkFrom(at)
	quote, slash := archsimd.BroadcastUint8x64('"'), archsimd.BroadcastUint8x64('\\')
	colon, comma := archsimd.BroadcastUint8x64(':'), archsimd.BroadcastUint8x64(',')
	open, closing := archsimd.BroadcastUint8x64('{'), archsimd.BroadcastUint8x64('}')
	space, control := archsimd.BroadcastUint8x64(' '), limitAVX512(' ')
	whites := archsimd.LoadUint8x64Array((*[64]uint8)(whites[:]))
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // moves a mask to the multiplication
	var any archsimd.Uint8x64  // all bytes, ored together
	var faults, allEscaped uint64
	base := unsafe.Pointer(unsafe.SliceData(b))
	blocks = blocks[:len(b)/BlockBytes]
	for i := range blocks {
		v := loadAVX512(unsafe.Add(base, i*BlockBytes))
		any = gatherAVX512(any, v)
		m := &blocks[i]
		quotes, slashes := bothAVX512(equalAVX512(v, quote), equalAVX512(v, slash))
		var escape uint64
		if slashes|w.escaped != 0 {
			escape, w.escaped = kernel.Escapes(slashes, w.escaped)
			quotes &^= escape
			allEscaped |= escape
		}
		inside := w.inside ^ prefixAVX512(quotes, lone, ones)
		w.inside = uint64(int64(inside) >> 63)
		outside := ^(inside | quotes)
		m.Quotes, m.Inside, m.Escaped = quotes, inside, escape
		m.White = bitsAVX512(whiteAVX512(v, whites))
		faults |= bitsAVX512(belowAVX512(v, control))&inside | slashes&^inside
		m.Colon, m.Comma = bitsAVX512(equalAVX512(v, colon))&outside, bitsAVX512(equalAVX512(v, comma))&outside
		folded := orAVX512(v, space) // with bit 5 set, square brackets become braces
		m.Open, m.Close = bitsAVX512(equalAVX512(folded, open))&outside, bitsAVX512(equalAVX512(folded, closing))&outside
		m.Curly = bitsAVX512(sameAVX512(folded, v))
	}
	return w.state(), Found{Invalid: faults != 0, NonASCII: wideAVX512(any), Escapes: allEscaped != 0}
}

// A block is one vector, two or four.
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

// wideAVX512 reports whether a byte is above 0x7f. It is the last to use vectors.
//
//gen:also wideAVX2
func wideAVX512(any archsimd.Uint8x64) bool {
	wide := any.BitsToInt8().Less(archsimd.BroadcastInt8x64(0)).ToBits()
	archsimd.ClearAVXUpperBits()
	return wide != 0
}

func loadAVX512(p unsafe.Pointer) blockAVX512 { return archsimd.LoadUint8x64Array((*[64]uint8)(p)) }

func gatherAVX512(any archsimd.Uint8x64, v blockAVX512) archsimd.Uint8x64 { return any.Or(v) }

func equalAVX512(v blockAVX512, c archsimd.Uint8x64) maskAVX512 { return v.Equal(c).ToBits() }

func sameAVX512(v, w blockAVX512) maskAVX512 { return v.Equal(w).ToBits() }

// limitAVX512 returns what belowAVX512 takes to find the bytes below c.
func limitAVX512(c byte) archsimd.Uint8x64 { return archsimd.BroadcastUint8x64(c) }

func belowAVX512(v blockAVX512, limit archsimd.Uint8x64) maskAVX512 { return v.Less(limit).ToBits() }

func whiteAVX512(v blockAVX512, table archsimd.Uint8x64) maskAVX512 {
	return table.PermuteOrZeroGrouped(v.BitsToInt8()).Equal(v).ToBits()
}

func orAVX512(v blockAVX512, c archsimd.Uint8x64) blockAVX512 { return v.Or(c) }

func subAVX512(v blockAVX512, c archsimd.Uint8x64) blockAVX512 { return v.Sub(c) }
