//go:build goexperiment.simd && amd64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// stringsAVX512 makes each mask of a block with one comparison. A few blocks have control characters, nearly always a
// line feed.
//
//gen:also stringsAVX2 stringsNEON
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
		quotes, slashes := bothAVX512(equalAVX512(v, quote), equalAVX512(v, slash))
		var escape uint64
		if slashes|carry != 0 {
			escape, carry = kernel.Escapes(slashes, carry)
			quotes &^= escape
			allEscaped |= escape
		}
		ends[i].Quotes, ends[i].Escaped = quotes, escape
		digits, controls := bothAVX512(belowAVX512(subAVX512(v, zero), ten), belowAVX512(v, space))
		ends[i].Digits = digits
		var feeds uint64
		if controls|returned != 0 {
			feeds = bitsAVX512(equalAVX512(v, feed))
			faults |= returned &^ feeds
			returned = 0
			if others := controls &^ feeds; others != 0 {
				returns := bitsAVX512(equalAVX512(v, ret))
				faults |= others&^returns | returns<<1&^feeds
				returned = returns >> 63
			}
		}
		ends[i].Feeds = feeds
	}
	return carry, Found{Invalid: faults|returned != 0, NonASCII: wideAVX512(any), Escapes: allEscaped != 0}
}
