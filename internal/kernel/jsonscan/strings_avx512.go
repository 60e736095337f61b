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
	feed, ret := archsimd.BroadcastUint8x64('\n'), archsimd.BroadcastUint8x64('\r')
	zero, space, ten := archsimd.BroadcastUint8x64('0'), limitAVX512(' '), limitAVX512(10)
	var any archsimd.Uint8x64 // all bytes, ored together
	var faults, allEscaped, returned uint64
	base := unsafe.Pointer(unsafe.SliceData(b))
	ends = ends[:len(b)/BlockBytes]
	for i := range ends {
		v := loadAVX512(unsafe.Add(base, i*BlockBytes))
		any = gatherAVX512(any, v)
		quotes, slashes := equalAVX512(v, quote), equalAVX512(v, slash)
		var escape uint64
		if slashes|carry != 0 {
			escape, carry = escapes(slashes, carry)
			quotes &^= escape
			allEscaped |= escape
		}
		digits := subAVX512(v, zero)
		ends[i].Quotes, ends[i].Escaped = quotes, escape
		ends[i].Digits = belowAVX512(digits, ten)
		var feeds uint64
		controls := belowAVX512(v, space)
		if controls|returned != 0 {
			feeds = equalAVX512(v, feed)
			faults |= returned &^ feeds
			returned = 0
			if others := controls &^ feeds; others != 0 {
				returns := equalAVX512(v, ret)
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
