//go:build goexperiment.simd && amd64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"
)

// linesAVX512 makes each mask of a block with one comparison, like markAVX512.
//
//gen:also linesAVX2
func linesAVX512(b []byte, lines []Line, at State) (State, Found) {
	w := walkFrom(at)
	quote, slash := archsimd.BroadcastUint8x64('"'), archsimd.BroadcastUint8x64('\\')
	colon, comma := archsimd.BroadcastUint8x64(':'), archsimd.BroadcastUint8x64(',')
	open, closing := archsimd.BroadcastUint8x64('{'), archsimd.BroadcastUint8x64('}')
	space, feed := archsimd.BroadcastUint8x64(' '), archsimd.BroadcastUint8x64('\n')
	zero, control, ten := archsimd.BroadcastUint8x64('0'), limitAVX512(' '), limitAVX512(10)
	point, exponent := archsimd.BroadcastUint8x64('.'), archsimd.BroadcastUint8x64('e')
	minus, plus := archsimd.BroadcastUint8x64('-'), archsimd.BroadcastUint8x64('+')
	whites := archsimd.LoadUint8x64Array((*[64]uint8)(whites[:]))
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // moves a mask to the multiplication
	var any archsimd.Uint8x64  // all bytes, ored together
	var faults, allEscaped uint64
	base := unsafe.Pointer(unsafe.SliceData(b))
	lines = lines[:len(b)/BlockBytes]
	for i := range lines {
		v := loadAVX512(unsafe.Add(base, i*BlockBytes))
		any = gatherAVX512(any, v)
		m := &lines[i]
		quotes, slashes := equalAVX512(v, quote), equalAVX512(v, slash)
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
		m.White, m.Feeds = whiteAVX512(v, whites), equalAVX512(v, feed)
		faults |= belowAVX512(v, control)&inside | slashes&^inside
		m.Colon, m.Comma = equalAVX512(v, colon)&outside, equalAVX512(v, comma)&outside
		folded := orAVX512(v, space) // with bit 5 set, square brackets become braces, and capital letters small ones
		m.Open, m.Close = equalAVX512(folded, open)&outside, equalAVX512(folded, closing)&outside
		m.Curly = sameAVX512(folded, v)
		m.Digits, m.Zeros = belowAVX512(subAVX512(v, zero), ten), equalAVX512(v, zero)
		m.Points, m.Exponents = equalAVX512(v, point), equalAVX512(folded, exponent)
		m.Minuses, m.Pluses = equalAVX512(v, minus), equalAVX512(v, plus)
	}
	wide := any.BitsToInt8().Less(archsimd.BroadcastInt8x64(0)).ToBits()
	archsimd.ClearAVXUpperBits()
	return w.state(), Found{Invalid: faults != 0, NonASCII: wide != 0, Escapes: allEscaped != 0}
}
