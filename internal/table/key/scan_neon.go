//go:build goexperiment.simd && arm64

package key

import (
	"simd/archsimd"
	"unsafe"
)

// markNEON computes the masks of both ranges at once, as package fields does: each byte in a
// range keeps the bit of its position, and three pairwise additions gather the bits.
func markNEON(text unsafe.Pointer, b *block, one, two span, in1, in2 *[blockMax]uint64) {
	order, weight := archsimd.LoadUint8x16Array(&interleaved), archsimd.LoadUint8x16Array(&weights)
	first1, length1 := archsimd.BroadcastUint8x16(one.first), archsimd.BroadcastUint8x16(one.length)
	first2, length2 := archsimd.BroadcastUint8x16(two.first), archsimd.BroadcastUint8x16(two.length)
	for j := range min(len(b.records), blockMax) {
		p := unsafe.Add(text, b.fields[j].Off)
		v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p)).LookupOrZero(order)
		v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16))).LookupOrZero(order)
		v2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32))).LookupOrZero(order)
		v3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48))).LookupOrZero(order)
		marks1 := quarter(v0, v1, first1, length1, weight).ConcatAddPairs(quarter(v2, v3, first1, length1, weight))
		marks2 := quarter(v0, v1, first2, length2, weight).ConcatAddPairs(quarter(v2, v3, first2, length2, weight))
		both := marks1.ConcatAddPairs(marks2).ReshapeToUint32s().ReshapeToUint64s()
		in1[j], in2[j] = both.GetElem(0), both.GetElem(1)
	}
}

// quarter does the first addition, for the bytes of two vectors that are in a range.
func quarter(v0, v1, first, length, weight archsimd.Uint8x16) archsimd.Uint16x8 {
	return weight.Masked(v0.Sub(first).LessEqual(length)).ReshapeToUint16s().
		ConcatAddPairs(weight.Masked(v1.Sub(first).LessEqual(length)).ReshapeToUint16s())
}
