//go:build goexperiment.simd && arm64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"
)

// stringsNEON builds the masks like markNEON. See stringsAVX512.
func stringsNEON(b []byte, ends []End, carry uint64) (uint64, Found) {
	order := archsimd.LoadUint8x16Array(&places)
	quote, slash := archsimd.BroadcastUint8x16('"'), archsimd.BroadcastUint8x16('\\')
	space, feed, ret := archsimd.BroadcastUint8x16(' '), archsimd.BroadcastUint8x16('\n'), archsimd.BroadcastUint8x16('\r')
	zero, ten := archsimd.BroadcastUint8x16('0'), archsimd.BroadcastUint8x16(10)
	var any archsimd.Uint8x16
	var faults, allEscaped, returned uint64
	base := unsafe.Pointer(unsafe.SliceData(b))
	ends = ends[:len(b)/BlockBytes]
	for i := range ends {
		p := unsafe.Add(base, i*BlockBytes)
		v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p)).LookupOrZero(order)
		v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16))).LookupOrZero(order)
		v2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32))).LookupOrZero(order)
		v3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48))).LookupOrZero(order)
		any = any.Or(v0).Or(v1).Or(v2.Or(v3))
		quotes, slashes := joined(masked(v0.Equal(quote), v1.Equal(quote), v2.Equal(quote), v3.Equal(quote)),
			masked(v0.Equal(slash), v1.Equal(slash), v2.Equal(slash), v3.Equal(slash)))
		var escape uint64
		if slashes|carry != 0 {
			escape, carry = escapes(slashes, carry)
			quotes &^= escape
			allEscaped |= escape
		}
		ends[i].Quotes, ends[i].Escaped = quotes, escape
		d0, d1, d2, d3 := v0.Sub(zero), v1.Sub(zero), v2.Sub(zero), v3.Sub(zero)
		digits, feeds := joined(masked(d0.Less(ten), d1.Less(ten), d2.Less(ten), d3.Less(ten)),
			masked(v0.Equal(feed), v1.Equal(feed), v2.Equal(feed), v3.Equal(feed)))
		ends[i].Digits, ends[i].Feeds = digits, feeds
		if v0.Min(v1).Min(v2.Min(v3)).ReduceMin() < ' ' || returned != 0 {
			controls, returning := joined(masked(v0.Less(space), v1.Less(space), v2.Less(space), v3.Less(space)),
				masked(v0.Equal(ret), v1.Equal(ret), v2.Equal(ret), v3.Equal(ret)))
			faults |= controls&^(feeds|returning) | (returning<<1|returned)&^feeds
			returned = returning >> 63
		}
	}
	return carry, Found{Invalid: faults|returned != 0, NonASCII: any.ReduceMax() > 0x7f, Escapes: allEscaped != 0}
}
