//go:build goexperiment.simd && arm64

package words

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// stepNEON builds the masks itself, since NEON has no instruction for that: a byte that fits keeps
// only the bit of its place, and three rounds of adding neighbours gather the bits. Neighbours are
// two bytes apart, so the bytes are reordered first. Otherwise it is like stepAVX2.
func stepNEON(k *stride, b []byte) {
	order, weight := archsimd.LoadUint8x16Array(&places), archsimd.LoadUint8x16Array(&weights)
	feed, blank := archsimd.BroadcastUint8x16('\n'), archsimd.BroadcastUint8x16(' ')
	tab, controls := archsimd.BroadcastUint8x16('\t'), archsimd.BroadcastUint8x16('\r'-'\t')
	one, above := archsimd.BroadcastUint8x16(1), archsimd.BroadcastInt8x16(' '+1)
	base := unsafe.Pointer(unsafe.SliceData(b))
	i, outside, lines, words := k.at, k.outside, 0, 0
	for ; i+wordBytes <= len(b); i += wordBytes {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p)).LookupOrZero(order)
		v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16))).LookupOrZero(order)
		v2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32))).LookupOrZero(order)
		v3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48))).LookupOrZero(order)
		if v0.Or(v1).Or(v2.Or(v3)).ReduceMax() >= 0x80 {
			break
		}
		feeds := gathered(weight.Masked(v0.Equal(feed)), weight.Masked(v1.Equal(feed)),
			weight.Masked(v2.Equal(feed)), weight.Masked(v3.Equal(feed)))
		lines += bits.OnesCount64(feeds)
		spaces := gathered(
			weight.Masked(v0.Sub(tab).LessEqual(controls).Or(v0.Equal(blank))),
			weight.Masked(v1.Sub(tab).LessEqual(controls).Or(v1.Equal(blank))),
			weight.Masked(v2.Sub(tab).LessEqual(controls).Or(v2.Equal(blank))),
			weight.Masked(v3.Sub(tab).LessEqual(controls).Or(v3.Equal(blank))))
		graphic := gathered(
			weight.Masked(v0.Add(one).BitsToInt8().Greater(above)),
			weight.Masked(v1.Add(one).BitsToInt8().Greater(above)),
			weight.Masked(v2.Add(one).BitsToInt8().Greater(above)),
			weight.Masked(v3.Add(one).BitsToInt8().Greater(above)))
		other := ^(spaces | graphic)
		before := spaces<<1 | outside
		out := spaces | other&^(other+other&before)
		words += bits.OnesCount64(graphic & (out<<1 | outside))
		outside = out >> 63
	}
	k.at, k.outside, k.lines, k.words = i, outside, k.lines+lines, k.words+words
}

// gathered returns the mask of 64 bytes, each of which is 0 or the bit of its place.
func gathered(m0, m1, m2, m3 archsimd.Uint8x16) uint64 {
	half := m0.ReshapeToUint16s().ConcatAddPairs(m1.ReshapeToUint16s()).
		ConcatAddPairs(m2.ReshapeToUint16s().ConcatAddPairs(m3.ReshapeToUint16s()))
	return half.ConcatAddPairs(half).ReshapeToUint32s().ReshapeToUint64s().GetElem(0)
}
