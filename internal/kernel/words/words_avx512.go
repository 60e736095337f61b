//go:build goexperiment.simd && amd64

package words

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// stepAVX512 makes each mask with one comparison. Adding 1 makes DEL negative, as all bytes are that
// are not ASCII, so that one signed comparison finds the printable ones. See words.go.
func stepAVX512(k *stride, b []byte) {
	feed, blank := archsimd.BroadcastUint8x64('\n'), archsimd.BroadcastUint8x64(' ')
	tab, controls := archsimd.BroadcastUint8x64('\t'), archsimd.BroadcastUint8x64('\r'-'\t')
	one, above, zero := archsimd.BroadcastUint8x64(1), archsimd.BroadcastInt8x64(' '+1), archsimd.BroadcastInt8x64(0)
	base := unsafe.Pointer(unsafe.SliceData(b))
	i, outside, lines, words := k.at, k.outside, 0, 0
	for ; i+wordBytes <= len(b); i += wordBytes {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, i)))
		if v.BitsToInt8().Less(zero).ToBits() != 0 {
			break
		}
		lines += bits.OnesCount64(v.Equal(feed).ToBits())
		spaces := v.Sub(tab).LessEqual(controls).ToBits() | v.Equal(blank).ToBits()
		graphic := v.Add(one).BitsToInt8().Greater(above).ToBits()
		other := ^(spaces | graphic)
		before := spaces<<1 | outside
		out := spaces | other&^(other+other&before)
		words += bits.OnesCount64(graphic & (out<<1 | outside))
		outside = out >> 63
	}
	archsimd.ClearAVXUpperBits()
	k.at, k.outside, k.lines, k.words = i, outside, k.lines+lines, k.words+words
}
