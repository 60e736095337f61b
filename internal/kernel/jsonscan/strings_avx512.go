//go:build goexperiment.simd && amd64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"
)

// stringsAVX512 makes each mask of a block with one comparison. A few blocks have control characters, nearly always a
// line feed.
func stringsAVX512(b []byte, ends []End, carry uint64) (uint64, Found) {
	quote, slash := archsimd.BroadcastUint8x64('"'), archsimd.BroadcastUint8x64('\\')
	space, feed, ret := archsimd.BroadcastUint8x64(' '), archsimd.BroadcastUint8x64('\n'), archsimd.BroadcastUint8x64('\r')
	zero, ten := archsimd.BroadcastUint8x64('0'), archsimd.BroadcastUint8x64(10)
	var any archsimd.Uint8x64 // all bytes, ored together
	var faults, allEscaped, returned uint64
	base := unsafe.Pointer(unsafe.SliceData(b))
	ends = ends[:len(b)/BlockBytes]
	for i := range ends {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, i*BlockBytes)))
		any = any.Or(v)
		quotes, slashes := v.Equal(quote).ToBits(), v.Equal(slash).ToBits()
		var escape uint64
		if slashes|carry != 0 {
			escape, carry = escapes(slashes, carry)
			quotes &^= escape
			allEscaped |= escape
		}
		ends[i].Quotes, ends[i].Escaped, ends[i].Digits = quotes, escape, v.Sub(zero).Less(ten).ToBits()
		var feeds uint64
		if controls := v.Less(space).ToBits(); controls|returned != 0 {
			feeds = v.Equal(feed).ToBits()
			faults |= returned &^ feeds
			returned = 0
			if others := controls &^ feeds; others != 0 {
				returns := v.Equal(ret).ToBits()
				faults |= others&^returns | returns<<1&^feeds
				returned = returns >> 63
			}
		}
		ends[i].Feeds = feeds
	}
	wide := any.BitsToInt8().Less(archsimd.BroadcastInt8x64(0)).ToBits()
	archsimd.ClearAVXUpperBits()
	return carry, Found{Invalid: faults|returned != 0, NonASCII: wide != 0, Escapes: allEscaped != 0}
}
