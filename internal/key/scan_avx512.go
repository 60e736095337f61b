//go:build goexperiment.simd && amd64

package key

import (
	"simd/archsimd"
	"unsafe"
)

// markAVX512 has a loop of its own for up to two ranges, which most sets have.
func markAVX512(base unsafe.Pointer, b *block, ranges []span, others uint64, in *[blockMax]uint64) {
	if len(ranges) == 0 || len(ranges) > 2 {
		markManyAVX512(base, b, ranges, others, in)
		return
	}
	one, two := ranges[0], ranges[len(ranges)-1]
	first1, length1 := archsimd.BroadcastUint8x64(one.first), archsimd.BroadcastUint8x64(one.length)
	first2, length2 := archsimd.BroadcastUint8x64(two.first), archsimd.BroadcastUint8x64(two.length)
	for j := range min(len(b.records), blockMax) {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, b.at[j])))
		found := v.Sub(first1).LessEqual(length1).Or(v.Sub(first2).LessEqual(length2)).ToBits()
		in[j] = (found ^ others) & (1<<(b.length[j]&63) - 1)
	}
	archsimd.ClearAVXUpperBits()
}

func markManyAVX512(base unsafe.Pointer, b *block, ranges []span, others uint64, in *[blockMax]uint64) {
	var first, length [rangesMax]archsimd.Uint8x64
	for r, s := range ranges[:min(len(ranges), rangesMax)] {
		first[r], length[r] = archsimd.BroadcastUint8x64(s.first), archsimd.BroadcastUint8x64(s.length)
	}
	for j := range min(len(b.records), blockMax) {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, b.at[j])))
		found := uint64(0)
		for r := range min(len(ranges), rangesMax) {
			found |= v.Sub(first[r]).LessEqual(length[r]).ToBits()
		}
		in[j] = (found ^ others) & (1<<(b.length[j]&63) - 1)
	}
	archsimd.ClearAVXUpperBits()
}
