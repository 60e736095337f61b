//go:build goexperiment.simd && amd64

package minify

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// keepsAVX2 finds the bytes to keep of some blocks, at most as many as keeps has room for. It makes
// each mask of a block with two comparisons.
func keepsAVX2(keeps *[tileBlocks]uint64, b []byte, w walk) (end walk) {
	quote, slash := archsimd.BroadcastUint8x32('"'), archsimd.BroadcastUint8x32('\\')
	table := archsimd.LoadUint8x32Array((*[32]uint8)(whites[:]))
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // moves a mask to the multiplication
	from := unsafe.Pointer(unsafe.SliceData(b))
	for i := range min(len(b)/blockBytes, len(keeps)) {
		p := unsafe.Add(from, i*blockBytes)
		v0 := archsimd.LoadUint8x32Array((*[32]uint8)(p))
		v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))
		quotes := uint64(v0.Equal(quote).ToBits()) | uint64(v1.Equal(quote).ToBits())<<32
		slashes := uint64(v0.Equal(slash).ToBits()) | uint64(v1.Equal(slash).ToBits())<<32
		white := uint64(table.PermuteOrZeroGrouped(v0.BitsToInt8()).Equal(v0).ToBits()) |
			uint64(table.PermuteOrZeroGrouped(v1.BitsToInt8()).Equal(v1).ToBits())<<32
		if slashes|w.escaped != 0 {
			var escaped uint64
			escaped, w.escaped = kernel.Escapes(slashes, w.escaped)
			quotes &^= escaped
		}
		inside := w.inside ^ lone.SetElem(0, quotes).CarrylessMultiplyEven(ones).GetElem(0)
		w.inside = uint64(int64(inside) >> 63)
		keeps[i] = ^white | inside
	}
	archsimd.ClearAVXUpperBits()
	return w
}

// whitesAVX2 does what whitesAVX512 does.
func whitesAVX2(b []byte, w walk) (end walk, all, outside int) {
	quote, slash := archsimd.BroadcastUint8x32('"'), archsimd.BroadcastUint8x32('\\')
	table := archsimd.LoadUint8x32Array((*[32]uint8)(whites[:]))
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2
	from := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i < len(b); i += blockBytes {
		p := unsafe.Add(from, i)
		v0 := archsimd.LoadUint8x32Array((*[32]uint8)(p))
		v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))
		quotes := uint64(v0.Equal(quote).ToBits()) | uint64(v1.Equal(quote).ToBits())<<32
		slashes := uint64(v0.Equal(slash).ToBits()) | uint64(v1.Equal(slash).ToBits())<<32
		white := uint64(table.PermuteOrZeroGrouped(v0.BitsToInt8()).Equal(v0).ToBits()) |
			uint64(table.PermuteOrZeroGrouped(v1.BitsToInt8()).Equal(v1).ToBits())<<32
		if slashes|w.escaped != 0 {
			var escaped uint64
			escaped, w.escaped = kernel.Escapes(slashes, w.escaped)
			quotes &^= escaped
		}
		inside := w.inside ^ lone.SetElem(0, quotes).CarrylessMultiplyEven(ones).GetElem(0)
		w.inside = uint64(int64(inside) >> 63)
		all += bits.OnesCount64(white)
		outside += bits.OnesCount64(white &^ inside)
	}
	archsimd.ClearAVXUpperBits()
	return w, all, outside
}
