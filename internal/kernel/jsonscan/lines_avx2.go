//go:build goexperiment.simd && amd64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"
)

// linesAVX2 makes each mask of a block with two comparisons. See linesAVX512.
func linesAVX2(b []byte, lines []Line, at State) (State, Found) {
	w := walkFrom(at)
	quote, slash := archsimd.BroadcastUint8x32('"'), archsimd.BroadcastUint8x32('\\')
	colon, comma := archsimd.BroadcastUint8x32(':'), archsimd.BroadcastUint8x32(',')
	open, closing := archsimd.BroadcastUint8x32('{'), archsimd.BroadcastUint8x32('}')
	space, control31 := archsimd.BroadcastUint8x32(' '), archsimd.BroadcastUint8x32(0x1f)
	feed, zero, nine := archsimd.BroadcastUint8x32('\n'), archsimd.BroadcastUint8x32('0'), archsimd.BroadcastUint8x32(9)
	point, exponent := archsimd.BroadcastUint8x32('.'), archsimd.BroadcastUint8x32('e')
	minus, plus := archsimd.BroadcastUint8x32('-'), archsimd.BroadcastUint8x32('+')
	whites := archsimd.LoadUint8x32Array((*[32]uint8)(whites[:]))
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2
	var any archsimd.Uint8x32
	var faults, allEscaped uint64
	base := unsafe.Pointer(unsafe.SliceData(b))
	lines = lines[:len(b)/BlockBytes]
	for i := range lines {
		p := unsafe.Add(base, i*BlockBytes)
		v0 := archsimd.LoadUint8x32Array((*[32]uint8)(p))
		v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))
		any = any.Or(v0).Or(v1)
		m := &lines[i]
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
		m.Feeds = uint64(v0.Equal(feed).ToBits()) | uint64(v1.Equal(feed).ToBits())<<32
		control := uint64(v0.Min(control31).Equal(v0).ToBits()) | uint64(v1.Min(control31).Equal(v1).ToBits())<<32
		faults |= control&inside | slashes&^inside
		m.Colon = (uint64(v0.Equal(colon).ToBits()) | uint64(v1.Equal(colon).ToBits())<<32) & outside
		m.Comma = (uint64(v0.Equal(comma).ToBits()) | uint64(v1.Equal(comma).ToBits())<<32) & outside
		f0, f1 := v0.Or(space), v1.Or(space) // with bit 5 set, square brackets become braces, and letters small
		m.Open = (uint64(f0.Equal(open).ToBits()) | uint64(f1.Equal(open).ToBits())<<32) & outside
		m.Close = (uint64(f0.Equal(closing).ToBits()) | uint64(f1.Equal(closing).ToBits())<<32) & outside
		m.Curly = uint64(f0.Equal(v0).ToBits()) | uint64(f1.Equal(v1).ToBits())<<32
		d0, d1 := v0.Sub(zero), v1.Sub(zero)
		m.Digits = uint64(d0.Min(nine).Equal(d0).ToBits()) | uint64(d1.Min(nine).Equal(d1).ToBits())<<32
		m.Zeros = uint64(v0.Equal(zero).ToBits()) | uint64(v1.Equal(zero).ToBits())<<32
		m.Points = uint64(v0.Equal(point).ToBits()) | uint64(v1.Equal(point).ToBits())<<32
		m.Exponents = uint64(f0.Equal(exponent).ToBits()) | uint64(f1.Equal(exponent).ToBits())<<32
		m.Minuses = uint64(v0.Equal(minus).ToBits()) | uint64(v1.Equal(minus).ToBits())<<32
		m.Pluses = uint64(v0.Equal(plus).ToBits()) | uint64(v1.Equal(plus).ToBits())<<32
	}
	wide := any.BitsToInt8().Less(archsimd.BroadcastInt8x32(0)).ToBits()
	archsimd.ClearAVXUpperBits()
	return w.state(), Found{Invalid: faults != 0, NonASCII: wide != 0, Escapes: allEscaped != 0}
}
