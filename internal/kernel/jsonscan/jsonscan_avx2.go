//go:build goexperiment.simd && amd64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"
)

// markAVX2 makes each mask of a block with two comparisons. See markAVX512.
func markAVX2(b []byte, blocks []Block, at State) (State, Found) {
	w := walkFrom(at)
	quote, slash := archsimd.BroadcastUint8x32('"'), archsimd.BroadcastUint8x32('\\')
	colon, comma := archsimd.BroadcastUint8x32(':'), archsimd.BroadcastUint8x32(',')
	open, closing := archsimd.BroadcastUint8x32('{'), archsimd.BroadcastUint8x32('}')
	space, control31 := archsimd.BroadcastUint8x32(' '), archsimd.BroadcastUint8x32(0x1f)
	whites := archsimd.LoadUint8x32Array((*[32]uint8)(whites[:]))
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2
	var any archsimd.Uint8x32
	var faults, allEscaped uint64
	base := unsafe.Pointer(unsafe.SliceData(b))
	blocks = blocks[:len(b)/BlockBytes]
	for i := range blocks {
		p := unsafe.Add(base, i*BlockBytes)
		v0 := archsimd.LoadUint8x32Array((*[32]uint8)(p))
		v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))
		any = any.Or(v0).Or(v1)
		m := &blocks[i]
		quotes := uint64(v0.Equal(quote).ToBits()) | uint64(v1.Equal(quote).ToBits())<<32
		slashes := uint64(v0.Equal(slash).ToBits()) | uint64(v1.Equal(slash).ToBits())<<32
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
		m.White = uint64(whites.PermuteOrZeroGrouped(v0.BitsToInt8()).Equal(v0).ToBits()) |
			uint64(whites.PermuteOrZeroGrouped(v1.BitsToInt8()).Equal(v1).ToBits())<<32
		control := uint64(v0.Min(control31).Equal(v0).ToBits()) | uint64(v1.Min(control31).Equal(v1).ToBits())<<32
		faults |= control&inside | slashes&^inside
		m.Colon = (uint64(v0.Equal(colon).ToBits()) | uint64(v1.Equal(colon).ToBits())<<32) & outside
		m.Comma = (uint64(v0.Equal(comma).ToBits()) | uint64(v1.Equal(comma).ToBits())<<32) & outside
		f0, f1 := v0.Or(space), v1.Or(space) // with bit 5 set, square brackets become braces
		m.Open = (uint64(f0.Equal(open).ToBits()) | uint64(f1.Equal(open).ToBits())<<32) & outside
		m.Close = (uint64(f0.Equal(closing).ToBits()) | uint64(f1.Equal(closing).ToBits())<<32) & outside
		m.Curly = uint64(f0.Equal(v0).ToBits()) | uint64(f1.Equal(v1).ToBits())<<32
	}
	wide := any.BitsToInt8().Less(archsimd.BroadcastInt8x32(0)).ToBits()
	archsimd.ClearAVXUpperBits()
	return w.state(), Found{Invalid: faults != 0, NonASCII: wide != 0, Escapes: allEscaped != 0}
}
