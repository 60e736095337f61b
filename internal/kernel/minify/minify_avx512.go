//go:build goexperiment.simd && amd64

package minify

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// stepsAVX512 compresses each block in a register. The exclusive or with zero makes a copy that the
// compression may overwrite: with a destination of its own, on Zen 4 and 5 it would wait for
// whatever was there before.
func stepsAVX512(dst, src []byte, w walk) (n int, end walk) {
	quote, slash := archsimd.BroadcastUint8x64('"'), archsimd.BroadcastUint8x64('\\')
	table := archsimd.LoadUint8x64Array(&whites)
	var zero archsimd.Uint8x64
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // moves a mask to the multiplication
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for i := 0; i < len(src); i += stepAVX512 {
		p := unsafe.Add(from, i)
		v0 := archsimd.LoadUint8x64Array((*[64]uint8)(p))
		v1 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(p, blockBytes)))
		quotes0, slashes0 := v0.Equal(quote).ToBits(), v0.Equal(slash).ToBits()
		quotes1, slashes1 := v1.Equal(quote).ToBits(), v1.Equal(slash).ToBits()
		black0 := table.PermuteOrZeroGrouped(v0.BitsToInt8()).NotEqual(v0).ToBits()
		black1 := table.PermuteOrZeroGrouped(v1.BitsToInt8()).NotEqual(v1).ToBits()
		if slashes0|w.escaped != 0 {
			var escaped uint64
			escaped, w.escaped = kernel.Escapes(slashes0, w.escaped)
			quotes0 &^= escaped
		}
		if slashes1|w.escaped != 0 {
			var escaped uint64
			escaped, w.escaped = kernel.Escapes(slashes1, w.escaped)
			quotes1 &^= escaped
		}
		inside0 := w.inside ^ lone.SetElem(0, quotes0).CarrylessMultiplyEven(ones).GetElem(0)
		inside1 := uint64(int64(inside0)>>63) ^ lone.SetElem(0, quotes1).CarrylessMultiplyEven(ones).GetElem(0)
		w.inside = uint64(int64(inside1) >> 63)
		keep0, keep1 := black0|inside0, black1|inside1
		v0.Xor(zero).Compress(archsimd.Mask8x64FromBits(keep0)).StoreArray((*[64]uint8)(unsafe.Add(to, n)))
		n += bits.OnesCount64(keep0)
		v1.Xor(zero).Compress(archsimd.Mask8x64FromBits(keep1)).StoreArray((*[64]uint8)(unsafe.Add(to, n)))
		n += bits.OnesCount64(keep1)
	}
	archsimd.ClearAVXUpperBits()
	return n, w
}

func keptByAVX512(dst, src []byte, keeps []uint64) (n int) {
	if len(keeps) == 0 {
		return 0
	}
	_, _ = src[len(keeps)*blockBytes-1], dst[len(keeps)*blockBytes-1]
	var zero archsimd.Uint8x64
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for i, keep := range keeps {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(from, i*blockBytes)))
		v.Xor(zero).Compress(archsimd.Mask8x64FromBits(keep)).StoreArray((*[64]uint8)(unsafe.Add(to, n)))
		n += bits.OnesCount64(keep)
	}
	archsimd.ClearAVXUpperBits()
	return n
}

// whitesAVX512 counts the white space, in all and outside strings. Nothing else distinguishes what
// is kept of a piece that begins in a string from what is kept if it begins outside.
func whitesAVX512(b []byte, w walk) (end walk, all, outside int) {
	quote, slash := archsimd.BroadcastUint8x64('"'), archsimd.BroadcastUint8x64('\\')
	table := archsimd.LoadUint8x64Array(&whites)
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2
	from := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i < len(b); i += stepAVX512 {
		p := unsafe.Add(from, i)
		v0 := archsimd.LoadUint8x64Array((*[64]uint8)(p))
		v1 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(p, blockBytes)))
		quotes0, slashes0 := v0.Equal(quote).ToBits(), v0.Equal(slash).ToBits()
		quotes1, slashes1 := v1.Equal(quote).ToBits(), v1.Equal(slash).ToBits()
		white0 := table.PermuteOrZeroGrouped(v0.BitsToInt8()).Equal(v0).ToBits()
		white1 := table.PermuteOrZeroGrouped(v1.BitsToInt8()).Equal(v1).ToBits()
		if slashes0|w.escaped != 0 {
			var escaped uint64
			escaped, w.escaped = kernel.Escapes(slashes0, w.escaped)
			quotes0 &^= escaped
		}
		if slashes1|w.escaped != 0 {
			var escaped uint64
			escaped, w.escaped = kernel.Escapes(slashes1, w.escaped)
			quotes1 &^= escaped
		}
		inside0 := w.inside ^ lone.SetElem(0, quotes0).CarrylessMultiplyEven(ones).GetElem(0)
		inside1 := uint64(int64(inside0)>>63) ^ lone.SetElem(0, quotes1).CarrylessMultiplyEven(ones).GetElem(0)
		w.inside = uint64(int64(inside1) >> 63)
		all += bits.OnesCount64(white0) + bits.OnesCount64(white1)
		outside += bits.OnesCount64(white0&^inside0) + bits.OnesCount64(white1&^inside1)
	}
	archsimd.ClearAVXUpperBits()
	return w, all, outside
}
