//go:build goexperiment.simd && amd64

package words

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// stepAVX2 makes each mask of 64 bytes with two comparisons. Adding 1 makes DEL negative, as all bytes are that
// are not ASCII, so that one signed comparison finds the printable ones. See words.go.
func stepAVX2(k *stride, b []byte) {
	feed, blank := archsimd.BroadcastUint8x32('\n'), archsimd.BroadcastUint8x32(' ')
	bit7 := archsimd.BroadcastUint8x32(0x80)
	tab, controls := archsimd.BroadcastUint8x32('\t'), archsimd.BroadcastUint8x32('\r'-'\t')
	one, above := archsimd.BroadcastUint8x32(1), archsimd.BroadcastInt8x32(' '+1)
	base := unsafe.Pointer(unsafe.SliceData(b))
	i, outside, lines, words := k.at, k.outside, 0, 0
	for ; i+wordBytes <= len(b); i += wordBytes {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint8x32Array((*[32]uint8)(p))
		v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))
		if !v0.Or(v1).And(bit7).IsZero() {
			break
		}
		lines += bits.OnesCount32(v0.Equal(feed).ToBits()) + bits.OnesCount32(v1.Equal(feed).ToBits())
		c0, c1 := v0.Sub(tab), v1.Sub(tab)
		spaces := uint64(c0.Min(controls).Equal(c0).Or(v0.Equal(blank)).ToBits()) |
			uint64(c1.Min(controls).Equal(c1).Or(v1.Equal(blank)).ToBits())<<32
		graphic := uint64(v0.Add(one).BitsToInt8().Greater(above).ToBits()) |
			uint64(v1.Add(one).BitsToInt8().Greater(above).ToBits())<<32
		other := ^(spaces | graphic)
		before := spaces<<1 | outside
		out := spaces | other&^(other+other&before)
		words += bits.OnesCount64(graphic & (out<<1 | outside))
		outside = out >> 63
	}
	archsimd.ClearAVXUpperBits()
	k.at, k.outside, k.lines, k.words = i, outside, k.lines+lines, k.words+words
}
