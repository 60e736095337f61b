//go:build goexperiment.simd && amd64

package minify

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// shuffles says for a mask of eight bytes which of them stay, in order.
var shuffles = func() (all [256][16]int8) {
	for mask := range all {
		n := 0
		for i := range 8 {
			if mask>>i&1 == 1 {
				all[mask][n] = int8(i)
				n++
			}
		}
	}
	return all
}()

// minifyAVX2 has no compression, so it shuffles eight bytes at a time by a table. Where each
// eight go is known from the mask alone, so they do not wait for each other.
func minifyAVX2(dst, src []byte, begin State) (n int, end State) {
	w := walkFrom(begin)
	quote, slash := archsimd.BroadcastUint8x32('"'), archsimd.BroadcastUint8x32('\\')
	table := archsimd.LoadUint8x32Array((*[32]uint8)(whites[:]))
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	i := 0
	for ; i+blockBytes <= len(src); i += blockBytes {
		p := unsafe.Add(from, i)
		v0 := archsimd.LoadUint8x32Array((*[32]uint8)(p))
		v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))
		quotes := uint64(v0.Equal(quote).ToBits()) | uint64(v1.Equal(quote).ToBits())<<32
		slashes := uint64(v0.Equal(slash).ToBits()) | uint64(v1.Equal(slash).ToBits())<<32
		white := uint64(table.PermuteOrZeroGrouped(v0.BitsToInt8()).Equal(v0).ToBits()) |
			uint64(table.PermuteOrZeroGrouped(v1.BitsToInt8()).Equal(v1).ToBits())<<32
		if slashes|w.escaped != 0 {
			var escaped uint64
			escaped, w.escaped = escapes(slashes, w.escaped)
			quotes &^= escaped
		}
		inside := w.inside ^ lone.SetElem(0, quotes).CarrylessMultiplyEven(ones).GetElem(0)
		w.inside = uint64(int64(inside) >> 63)
		keep := ^white | inside
		if keep == ^uint64(0) {
			v0.StoreArray((*[32]uint8)(unsafe.Add(to, n)))
			v1.StoreArray((*[32]uint8)(unsafe.Add(to, n+32)))
			n += blockBytes
			continue
		}
		for k := 0; k < blockBytes; k += 8 {
			shuffle := archsimd.LoadInt8x16Array(&shuffles[uint8(keep>>k)])
			eight := lone.SetElem(0, *(*uint64)(unsafe.Add(p, k))).ReshapeToUint8s()
			at := n + bits.OnesCount64(keep&(1<<k-1))
			*(*uint64)(unsafe.Add(to, at)) = eight.PermuteOrZero(shuffle).ReshapeToUint64s().GetElem(0)
		}
		n += bits.OnesCount64(keep)
	}
	archsimd.ClearAVXUpperBits()
	more, end := minifyPlain(dst[n:], src[i:], w.state())
	return n + more, end
}

// summarizeAVX2 makes each mask of a block of two comparisons. See summarizeAVX512.
func summarizeAVX2(b []byte) Summary {
	if len(b) < blockBytes {
		return summarizePlain(b)
	}
	var w walk
	quote, slash := archsimd.BroadcastUint8x32('"'), archsimd.BroadcastUint8x32('\\')
	table := archsimd.LoadUint8x32Array((*[32]uint8)(whites[:]))
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2
	base := unsafe.Pointer(unsafe.SliceData(b))
	var all, outside int // white space
	i := 0
	for ; i+blockBytes <= len(b); i += blockBytes {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint8x32Array((*[32]uint8)(p))
		v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))
		quotes := uint64(v0.Equal(quote).ToBits()) | uint64(v1.Equal(quote).ToBits())<<32
		slashes := uint64(v0.Equal(slash).ToBits()) | uint64(v1.Equal(slash).ToBits())<<32
		white := uint64(table.PermuteOrZeroGrouped(v0.BitsToInt8()).Equal(v0).ToBits()) |
			uint64(table.PermuteOrZeroGrouped(v1.BitsToInt8()).Equal(v1).ToBits())<<32
		if slashes|w.escaped != 0 {
			var escaped uint64
			escaped, w.escaped = escapes(slashes, w.escaped)
			quotes &^= escaped
		}
		inside := w.inside ^ lone.SetElem(0, quotes).CarrylessMultiplyEven(ones).GetElem(0)
		w.inside = uint64(int64(inside) >> 63)
		all += bits.OnesCount64(white)
		outside += bits.OnesCount64(white &^ inside)
	}
	archsimd.ClearAVXUpperBits()
	return w.summary(b[:i], all, outside).Then(summarizePlain(b[i:]))
}
