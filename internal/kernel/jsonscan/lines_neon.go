//go:build goexperiment.simd && arm64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// linesNEON builds the masks like markNEON. See linesAVX2.
func linesNEON(b []byte, lines []Line, at State) (State, Found) {
	w := walkFrom(at)
	order := archsimd.LoadUint8x16Array(&places)
	quote, slash := archsimd.BroadcastUint8x16('"'), archsimd.BroadcastUint8x16('\\')
	colon, comma := archsimd.BroadcastUint8x16(':'), archsimd.BroadcastUint8x16(',')
	open, closing := archsimd.BroadcastUint8x16('{'), archsimd.BroadcastUint8x16('}')
	space, feed := archsimd.BroadcastUint8x16(' '), archsimd.BroadcastUint8x16('\n')
	half := archsimd.BroadcastUint8x16(0x0f)
	zero, ten := archsimd.BroadcastUint8x16('0'), archsimd.BroadcastUint8x16(10)
	point, exponent := archsimd.BroadcastUint8x16('.'), archsimd.BroadcastUint8x16('e')
	minus, plus := archsimd.BroadcastUint8x16('-'), archsimd.BroadcastUint8x16('+')
	whites := archsimd.LoadUint8x16Array((*[16]uint8)(whites[:]))
	var any archsimd.Uint8x16
	var faults, allEscaped uint64
	base := unsafe.Pointer(unsafe.SliceData(b))
	lines = lines[:len(b)/BlockBytes]
	for i := range lines {
		p := unsafe.Add(base, i*BlockBytes)
		v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p)).LookupOrZero(order)
		v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16))).LookupOrZero(order)
		v2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32))).LookupOrZero(order)
		v3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48))).LookupOrZero(order)
		any = any.Or(v0).Or(v1).Or(v2.Or(v3))
		m := &lines[i]
		quotes, slashes := joined(masked(v0.Equal(quote), v1.Equal(quote), v2.Equal(quote), v3.Equal(quote)),
			masked(v0.Equal(slash), v1.Equal(slash), v2.Equal(slash), v3.Equal(slash)))
		w0, w1 := whites.LookupOrZero(v0.And(half)), whites.LookupOrZero(v1.And(half))
		w2, w3 := whites.LookupOrZero(v2.And(half)), whites.LookupOrZero(v3.And(half))
		m.White, m.Feeds = joined(masked(w0.Equal(v0), w1.Equal(v1), w2.Equal(v2), w3.Equal(v3)),
			masked(v0.Equal(feed), v1.Equal(feed), v2.Equal(feed), v3.Equal(feed)))
		var escape uint64
		if slashes|w.escaped != 0 {
			escape, w.escaped = escapes(slashes, w.escaped)
			quotes &^= escape
			allEscaped |= escape
		}
		inside := w.inside ^ kernel.PrefixXor(quotes)
		w.inside = uint64(int64(inside) >> 63)
		outside := ^(inside | quotes)
		m.Quotes, m.Inside, m.Escaped = quotes, inside, escape
		// With bit 5 set, square brackets become braces, and capital letters small ones.
		f0, f1, f2, f3 := v0.Or(space), v1.Or(space), v2.Or(space), v3.Or(space)
		curly, control := joined(masked(f0.Equal(v0), f1.Equal(v1), f2.Equal(v2), f3.Equal(v3)),
			masked(v0.Less(space), v1.Less(space), v2.Less(space), v3.Less(space)))
		m.Curly = curly
		faults |= control&inside | slashes&^inside
		m.Colon, m.Comma = joined(masked(v0.Equal(colon), v1.Equal(colon), v2.Equal(colon), v3.Equal(colon)),
			masked(v0.Equal(comma), v1.Equal(comma), v2.Equal(comma), v3.Equal(comma)))
		m.Open, m.Close = joined(masked(f0.Equal(open), f1.Equal(open), f2.Equal(open), f3.Equal(open)),
			masked(f0.Equal(closing), f1.Equal(closing), f2.Equal(closing), f3.Equal(closing)))
		m.Colon, m.Comma, m.Open, m.Close = m.Colon&outside, m.Comma&outside, m.Open&outside, m.Close&outside
		d0, d1, d2, d3 := v0.Sub(zero), v1.Sub(zero), v2.Sub(zero), v3.Sub(zero)
		m.Digits, m.Zeros = joined(masked(d0.Less(ten), d1.Less(ten), d2.Less(ten), d3.Less(ten)),
			masked(v0.Equal(zero), v1.Equal(zero), v2.Equal(zero), v3.Equal(zero)))
		m.Points, m.Exponents = joined(masked(v0.Equal(point), v1.Equal(point), v2.Equal(point), v3.Equal(point)),
			masked(f0.Equal(exponent), f1.Equal(exponent), f2.Equal(exponent), f3.Equal(exponent)))
		m.Minuses, m.Pluses = joined(masked(v0.Equal(minus), v1.Equal(minus), v2.Equal(minus), v3.Equal(minus)),
			masked(v0.Equal(plus), v1.Equal(plus), v2.Equal(plus), v3.Equal(plus)))
	}
	return w.state(), Found{Invalid: faults != 0, NonASCII: any.ReduceMax() > 0x7f, Escapes: allEscaped != 0}
}
