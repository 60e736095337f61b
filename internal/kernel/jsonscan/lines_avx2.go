//go:build goexperiment.simd && amd64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// linesAVX2 makes each mask of a block with two comparisons, like markAVX2.
//
//gen:also linesNEON
func linesAVX2(b []byte, lines []Line, at State) (State, Found) {
	w := walkFrom(at)
	quote, slash := archsimd.BroadcastUint8x32('"'), archsimd.BroadcastUint8x32('\\')
	colon, comma := archsimd.BroadcastUint8x32(':'), archsimd.BroadcastUint8x32(',')
	open, closing := archsimd.BroadcastUint8x32('{'), archsimd.BroadcastUint8x32('}')
	space, feed := archsimd.BroadcastUint8x32(' '), archsimd.BroadcastUint8x32('\n')
	zero, control, ten := archsimd.BroadcastUint8x32('0'), limitAVX2(' '), limitAVX2(10)
	point, exponent := archsimd.BroadcastUint8x32('.'), archsimd.BroadcastUint8x32('e')
	minus, plus := archsimd.BroadcastUint8x32('-'), archsimd.BroadcastUint8x32('+')
	whites := archsimd.LoadUint8x32Array((*[32]uint8)(whites[:]))
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // moves a mask to the multiplication
	var any archsimd.Uint8x32  // all bytes, ored together
	var faults, allEscaped uint64
	base := unsafe.Pointer(unsafe.SliceData(b))
	lines = lines[:len(b)/BlockBytes]
	for i := range lines {
		v := loadAVX2(unsafe.Add(base, i*BlockBytes))
		any = gatherAVX2(any, v)
		m := &lines[i]
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
		m.White, m.Feeds = bothAVX2(whiteAVX2(v, whites), equalAVX2(v, feed))
		folded := orAVX2(v, space) // with bit 5 set, square brackets become braces, and capital letters small ones
		curly, controls := bothAVX2(sameAVX2(folded, v), belowAVX2(v, control))
		m.Curly = curly
		faults |= controls&inside | slashes&^inside
		colons, commas := bothAVX2(equalAVX2(v, colon), equalAVX2(v, comma))
		m.Colon, m.Comma = colons&outside, commas&outside
		opens, closes := bothAVX2(equalAVX2(folded, open), equalAVX2(folded, closing))
		m.Open, m.Close = opens&outside, closes&outside
		m.Digits, m.Zeros = bothAVX2(belowAVX2(subAVX2(v, zero), ten), equalAVX2(v, zero))
		m.Points, m.Exponents = bothAVX2(equalAVX2(v, point), equalAVX2(folded, exponent))
		m.Minuses, m.Pluses = bothAVX2(equalAVX2(v, minus), equalAVX2(v, plus))
	}
	return w.state(), Found{Invalid: faults != 0, NonASCII: wideAVX2(any), Escapes: allEscaped != 0}
}
