//go:build goexperiment.simd && amd64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// linesAVX512 makes each mask of a block with one comparison, like markAVX512.
//
//gen:also linesAVX2 linesNEON
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
		m.White, m.Feeds = bothAVX512(whiteAVX512(v, whites), equalAVX512(v, feed))
		folded := orAVX512(v, space) // with bit 5 set, square brackets become braces, and capital letters small ones
		curly, controls := bothAVX512(sameAVX512(folded, v), belowAVX512(v, control))
		m.Curly = curly
		faults |= controls&inside | slashes&^inside
		colons, commas := bothAVX512(equalAVX512(v, colon), equalAVX512(v, comma))
		m.Colon, m.Comma = colons&outside, commas&outside
		opens, closes := bothAVX512(equalAVX512(folded, open), equalAVX512(folded, closing))
		m.Open, m.Close = opens&outside, closes&outside
		m.Digits, m.Zeros = bothAVX512(belowAVX512(subAVX512(v, zero), ten), equalAVX512(v, zero))
		m.Points, m.Exponents = bothAVX512(equalAVX512(v, point), equalAVX512(folded, exponent))
		m.Minuses, m.Pluses = bothAVX512(equalAVX512(v, minus), equalAVX512(v, plus))
	}
	return w.state(), Found{Invalid: faults != 0, NonASCII: wideAVX512(any), Escapes: allEscaped != 0}
}
