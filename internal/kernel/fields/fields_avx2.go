//go:build goexperiment.simd && amd64

package fields

import (
	"simd/archsimd"
	"unsafe"
)

// markAVX2 makes each mask of two comparisons, and leaves the rest of a word to plain
// code. See fields.go.
func markAVX2(c *Chunk, text []byte, d Dialect, s State) State {
	c.reset(len(text))
	k := s.carry()
	base := unsafe.Pointer(unsafe.SliceData(text[:c.words*64]))
	delim, feed := archsimd.BroadcastUint8x32(d.Delim), archsimd.BroadcastUint8x32('\n')
	quote, ret := archsimd.BroadcastUint8x32(d.Quote), archsimd.BroadcastUint8x32('\r')
	for i := 0; i < len(text); i += 64 {
		v0 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(base, i)))
		v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(base, i+32)))
		m := masks{
			delims: uint64(v0.Equal(delim).ToBits()) | uint64(v1.Equal(delim).ToBits())<<32,
			feeds:  uint64(v0.Equal(feed).ToBits()) | uint64(v1.Equal(feed).ToBits())<<32,
		}
		if d.Quoted {
			m.quotes = uint64(v0.Equal(quote).ToBits()) | uint64(v1.Equal(quote).ToBits())<<32
			m.returns = uint64(v0.Equal(ret).ToBits()) | uint64(v1.Equal(ret).ToBits())<<32
		}
		k = c.word(i, min(len(text)-i, 64), m, k)
	}
	archsimd.ClearAVXUpperBits()
	return k.state()
}
