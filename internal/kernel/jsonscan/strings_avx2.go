//go:build goexperiment.simd && amd64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// stringsAVX2 makes each mask of a block with two comparisons. A few blocks have control characters, nearly always a
// line feed.
//
//gen:also stringsNEON
func stringsAVX2(b []byte, ends []End, carry uint64) (uint64, Found) {
	quote, slash := archsimd.BroadcastUint8x32('"'), archsimd.BroadcastUint8x32('\\')
	feed, ret := archsimd.BroadcastUint8x32('\n'), archsimd.BroadcastUint8x32('\r')
	zero, space, ten := archsimd.BroadcastUint8x32('0'), limitAVX2(' '), limitAVX2(10)
	var any archsimd.Uint8x32 // all bytes, ored together
	var faults, allEscaped, returned uint64
	base := unsafe.Pointer(unsafe.SliceData(b))
	ends = ends[:len(b)/BlockBytes]
	for i := range ends {
		v := loadAVX2(unsafe.Add(base, i*BlockBytes))
		any = gatherAVX2(any, v)
		quotes, slashes := bothAVX2(equalAVX2(v, quote), equalAVX2(v, slash))
		var escape uint64
		if slashes|carry != 0 {
			escape, carry = kernel.Escapes(slashes, carry)
			quotes &^= escape
			allEscaped |= escape
		}
		ends[i].Quotes, ends[i].Escaped = quotes, escape
		digits, controls := bothAVX2(belowAVX2(subAVX2(v, zero), ten), belowAVX2(v, space))
		ends[i].Digits = digits
		var feeds uint64
		if controls|returned != 0 {
			feeds = bitsAVX2(equalAVX2(v, feed))
			faults |= returned &^ feeds
			returned = 0
			if others := controls &^ feeds; others != 0 {
				returns := bitsAVX2(equalAVX2(v, ret))
				faults |= others&^returns | returns<<1&^feeds
				returned = returns >> 63
			}
		}
		ends[i].Feeds = feeds
	}
	return carry, Found{Invalid: faults|returned != 0, NonASCII: wideAVX2(any), Escapes: allEscaped != 0}
}
