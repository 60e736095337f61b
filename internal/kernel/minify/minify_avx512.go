//go:build goexperiment.simd && amd64

package minify

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// whites is row for each 16 bytes of a vector.
var whites = func() (w [64]uint8) {
	for i := range w {
		w[i] = row[i%16]
	}
	return w
}()

// minifyAVX512 compresses each block in a register. The exclusive or with zero makes a copy
// that the compression may overwrite: with a destination of its own it would wait for
// whatever was there before, on Zen 4 and 5.
func minifyAVX512(dst, src []byte, begin State) (n int, end State) {
	w := walkFrom(begin)
	quote, slash := archsimd.BroadcastUint8x64('"'), archsimd.BroadcastUint8x64('\\')
	table := archsimd.LoadUint8x64Array(&whites)
	var zero archsimd.Uint8x64
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // takes a mask to the multiplication
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	i := 0
	for ; i+blockBytes <= len(src); i += blockBytes {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(from, i)))
		quotes, slashes := v.Equal(quote).ToBits(), v.Equal(slash).ToBits()
		white := table.PermuteOrZeroGrouped(v.BitsToInt8()).Equal(v).ToBits()
		if slashes|w.escaped != 0 {
			var escaped uint64
			escaped, w.escaped = escapes(slashes, w.escaped)
			quotes &^= escaped
		}
		inside := w.inside ^ lone.SetElem(0, quotes).CarrylessMultiplyEven(ones).GetElem(0)
		w.inside = uint64(int64(inside) >> 63)
		keep := ^white | inside
		v.Xor(zero).Compress(archsimd.Mask8x64FromBits(keep)).StoreArray((*[64]uint8)(unsafe.Add(to, n)))
		n += bits.OnesCount64(keep)
	}
	archsimd.ClearAVXUpperBits()
	more, end := minifyPlain(dst[n:], src[i:], w.state())
	return n + more, end
}

// summarizeAVX512 needs no more than the masks. What the two beginnings keep differs in the
// white space alone.
func summarizeAVX512(b []byte) Summary {
	if len(b) < blockBytes {
		return summarizePlain(b)
	}
	var w walk
	quote, slash := archsimd.BroadcastUint8x64('"'), archsimd.BroadcastUint8x64('\\')
	table := archsimd.LoadUint8x64Array(&whites)
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2
	base := unsafe.Pointer(unsafe.SliceData(b))
	var all, outside int // white space
	i := 0
	for ; i+blockBytes <= len(b); i += blockBytes {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, i)))
		quotes, slashes := v.Equal(quote).ToBits(), v.Equal(slash).ToBits()
		white := table.PermuteOrZeroGrouped(v.BitsToInt8()).Equal(v).ToBits()
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
