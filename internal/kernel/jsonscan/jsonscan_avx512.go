//go:build goexperiment.simd && amd64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"
)

// markAVX512 makes each mask of a block with one comparison.
func markAVX512(b []byte, blocks []Block, at State) (State, Found) {
	w := walkFrom(at)
	quote, slash := archsimd.BroadcastUint8x64('"'), archsimd.BroadcastUint8x64('\\')
	colon, comma := archsimd.BroadcastUint8x64(':'), archsimd.BroadcastUint8x64(',')
	open, closing := archsimd.BroadcastUint8x64('{'), archsimd.BroadcastUint8x64('}')
	space := archsimd.BroadcastUint8x64(' ')
	whites := archsimd.LoadUint8x64Array(&whites)
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // moves a mask to the multiplication
	var any archsimd.Uint8x64  // all bytes, ored together
	var faults, allEscaped uint64
	base := unsafe.Pointer(unsafe.SliceData(b))
	blocks = blocks[:len(b)/BlockBytes]
	for i := range blocks {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, i*BlockBytes)))
		any = any.Or(v)
		m := &blocks[i]
		quotes, slashes := v.Equal(quote).ToBits(), v.Equal(slash).ToBits()
		var escape uint64
		if slashes|w.escaped != 0 {
			escape, w.escaped = escapes(slashes, w.escaped)
			quotes &^= escape
			allEscaped |= escape
		}
		inside := w.inside ^ lone.SetElem(0, quotes).CarrylessMultiplyEven(ones).GetElem(0)
		w.inside = uint64(int64(inside) >> 63)
		outside := ^(inside | quotes)
		m.Quotes, m.Inside, m.Escaped = quotes, inside, escape
		m.White = whites.PermuteOrZeroGrouped(v.BitsToInt8()).Equal(v).ToBits()
		faults |= v.Less(space).ToBits()&inside | slashes&^inside
		m.Colon, m.Comma = v.Equal(colon).ToBits()&outside, v.Equal(comma).ToBits()&outside
		folded := v.Or(space) // with bit 5 set, square brackets become braces
		m.Open, m.Close = folded.Equal(open).ToBits()&outside, folded.Equal(closing).ToBits()&outside
		m.Curly = folded.Equal(v).ToBits()
	}
	wide := any.BitsToInt8().Less(archsimd.BroadcastInt8x64(0)).ToBits()
	archsimd.ClearAVXUpperBits()
	return w.state(), Found{Invalid: faults != 0, NonASCII: wide != 0, Escapes: allEscaped != 0}
}
