//go:build goexperiment.simd && amd64

package key

import (
	"simd/archsimd"
	"unsafe"
)

// markAVX2 has a loop of its own for up to two ranges, which most sets have.
// AVX2 has no comparison for at most; but the smaller of both is then the byte itself.
func markAVX2(base unsafe.Pointer, b *block, ranges []span, others uint64, in *[blockMax]uint64) {
	if len(ranges) == 0 || len(ranges) > 2 {
		markManyAVX2(base, b, ranges, others, in)
		return
	}
	one, two := ranges[0], ranges[len(ranges)-1]
	first1, length1 := archsimd.BroadcastUint8x32(one.first), archsimd.BroadcastUint8x32(one.length)
	first2, length2 := archsimd.BroadcastUint8x32(two.first), archsimd.BroadcastUint8x32(two.length)
	for j := range min(len(b.records), blockMax) {
		p := unsafe.Add(base, b.at[j])
		v := archsimd.LoadUint8x32Array((*[32]uint8)(p))
		w := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))
		v1, w1, v2, w2 := v.Sub(first1), w.Sub(first1), v.Sub(first2), w.Sub(first2)
		low := v1.Min(length1).Equal(v1).Or(v2.Min(length2).Equal(v2))
		high := w1.Min(length1).Equal(w1).Or(w2.Min(length2).Equal(w2))
		found := uint64(low.ToBits()) | uint64(high.ToBits())<<32
		in[j] = (found ^ others) & (1<<(b.length[j]&63) - 1)
	}
	archsimd.ClearAVXUpperBits()
}

func markManyAVX2(base unsafe.Pointer, b *block, ranges []span, others uint64, in *[blockMax]uint64) {
	var first, length [rangesMax]archsimd.Uint8x32
	for r, s := range ranges[:min(len(ranges), rangesMax)] {
		first[r], length[r] = archsimd.BroadcastUint8x32(s.first), archsimd.BroadcastUint8x32(s.length)
	}
	for j := range min(len(b.records), blockMax) {
		p := unsafe.Add(base, b.at[j])
		v := archsimd.LoadUint8x32Array((*[32]uint8)(p))
		w := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))
		found := uint64(0)
		for r := range min(len(ranges), rangesMax) {
			low, high := v.Sub(first[r]), w.Sub(first[r])
			found |= uint64(low.Min(length[r]).Equal(low).ToBits()) | uint64(high.Min(length[r]).Equal(high).ToBits())<<32
		}
		in[j] = (found ^ others) & (1<<(b.length[j]&63) - 1)
	}
	archsimd.ClearAVXUpperBits()
}
