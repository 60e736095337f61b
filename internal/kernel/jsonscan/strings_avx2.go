//go:build goexperiment.simd && amd64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"
)

// stringsAVX2 makes each mask of a block with two comparisons. See stringsAVX512.
func stringsAVX2(b []byte, ends []End, carry uint64) (uint64, Found) {
	quote, slash := archsimd.BroadcastUint8x32('"'), archsimd.BroadcastUint8x32('\\')
	control31 := archsimd.BroadcastUint8x32(0x1f)
	feed, ret := archsimd.BroadcastUint8x32('\n'), archsimd.BroadcastUint8x32('\r')
	zero, nine := archsimd.BroadcastUint8x32('0'), archsimd.BroadcastUint8x32(9)
	var any archsimd.Uint8x32
	var faults, allEscaped, returned uint64
	base := unsafe.Pointer(unsafe.SliceData(b))
	ends = ends[:len(b)/BlockBytes]
	for i := range ends {
		p := unsafe.Add(base, i*BlockBytes)
		v0 := archsimd.LoadUint8x32Array((*[32]uint8)(p))
		v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))
		any = any.Or(v0).Or(v1)
		quotes := uint64(v0.Equal(quote).ToBits()) | uint64(v1.Equal(quote).ToBits())<<32
		slashes := uint64(v0.Equal(slash).ToBits()) | uint64(v1.Equal(slash).ToBits())<<32
		var escape uint64
		if slashes|carry != 0 {
			escape, carry = escapes(slashes, carry)
			quotes &^= escape
			allEscaped |= escape
		}
		d0, d1 := v0.Sub(zero), v1.Sub(zero)
		ends[i].Quotes, ends[i].Escaped = quotes, escape
		ends[i].Digits = uint64(d0.Min(nine).Equal(d0).ToBits()) | uint64(d1.Min(nine).Equal(d1).ToBits())<<32
		var feeds uint64
		controls := uint64(v0.Min(control31).Equal(v0).ToBits()) | uint64(v1.Min(control31).Equal(v1).ToBits())<<32
		if controls|returned != 0 {
			feeds = uint64(v0.Equal(feed).ToBits()) | uint64(v1.Equal(feed).ToBits())<<32
			faults |= returned &^ feeds
			returned = 0
			if others := controls &^ feeds; others != 0 {
				returns := uint64(v0.Equal(ret).ToBits()) | uint64(v1.Equal(ret).ToBits())<<32
				faults |= others&^returns | returns<<1&^feeds
				returned = returns >> 63
			}
		}
		ends[i].Feeds = feeds
	}
	wide := any.BitsToInt8().Less(archsimd.BroadcastInt8x32(0)).ToBits()
	archsimd.ClearAVXUpperBits()
	return carry, Found{Invalid: faults|returned != 0, NonASCII: wide != 0, Escapes: allEscaped != 0}
}
