//go:build goexperiment.simd && amd64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"
)

// linesAVX512 makes each mask of a block with one comparison, like markAVX512.
func linesAVX512(b []byte, lines []Line, at State) (State, Found) {
	w := walkFrom(at)
	quote, slash := archsimd.BroadcastUint8x64('"'), archsimd.BroadcastUint8x64('\\')
	colon, comma := archsimd.BroadcastUint8x64(':'), archsimd.BroadcastUint8x64(',')
	open, closing := archsimd.BroadcastUint8x64('{'), archsimd.BroadcastUint8x64('}')
	space, feed := archsimd.BroadcastUint8x64(' '), archsimd.BroadcastUint8x64('\n')
	zero, ten := archsimd.BroadcastUint8x64('0'), archsimd.BroadcastUint8x64(10)
	point, exponent := archsimd.BroadcastUint8x64('.'), archsimd.BroadcastUint8x64('e')
	minus, plus := archsimd.BroadcastUint8x64('-'), archsimd.BroadcastUint8x64('+')
	whites := archsimd.LoadUint8x64Array(&whites)
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // moves a mask to the multiplication
	var any archsimd.Uint8x64  // all bytes, ored together
	var faults, allEscaped uint64
	base := unsafe.Pointer(unsafe.SliceData(b))
	lines = lines[:len(b)/BlockBytes]
	for i := range lines {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, i*BlockBytes)))
		any = any.Or(v)
		m := &lines[i]
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
		m.White, m.Feeds = whites.PermuteOrZeroGrouped(v.BitsToInt8()).Equal(v).ToBits(), v.Equal(feed).ToBits()
		faults |= v.Less(space).ToBits()&inside | slashes&^inside
		m.Colon, m.Comma = v.Equal(colon).ToBits()&outside, v.Equal(comma).ToBits()&outside
		folded := v.Or(space) // with bit 5 set, square brackets become braces, and capital letters small ones
		m.Open, m.Close = folded.Equal(open).ToBits()&outside, folded.Equal(closing).ToBits()&outside
		m.Curly = folded.Equal(v).ToBits()
		m.Digits, m.Zeros = v.Sub(zero).Less(ten).ToBits(), v.Equal(zero).ToBits()
		m.Points, m.Exponents = v.Equal(point).ToBits(), folded.Equal(exponent).ToBits()
		m.Minuses, m.Pluses = v.Equal(minus).ToBits(), v.Equal(plus).ToBits()
	}
	wide := any.BitsToInt8().Less(archsimd.BroadcastInt8x64(0)).ToBits()
	archsimd.ClearAVXUpperBits()
	return w.state(), Found{Invalid: faults != 0, NonASCII: wide != 0, Escapes: allEscaped != 0}
}
