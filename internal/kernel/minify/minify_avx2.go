//go:build goexperiment.simd && amd64

package minify

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

func minifyAVX2(dst, src []byte, begin State) (n int, end State) {
	if len(src) < shortBytes {
		return minifyPlain(dst, src, begin)
	}
	return longAVX2(dst, src, begin)
}

// longAVX2 stands by itself, so that a short text does not pay for its registers.
//
//go:noinline
func longAVX2(dst, src []byte, begin State) (n int, end State) {
	_ = dst[len(src)-1] // what follows checks no bounds
	whole := len(src) &^ (blockBytes - 1)
	n, w := blocksAVX2(dst, src[:whole], walkFrom(begin))
	if whole < len(src) {
		var last, kept [blockBytes]byte
		padding, w0 := w.pad(last[:], src[whole:])
		m, w1 := blocksAVX2(kept[:], last[:], w0)
		n, w = n+copy(dst[n:], kept[padding:m]), w1
	}
	return n, w.state()
}

// blocksAVX2 finds what stays of some blocks first, and then moves it together: either loop
// for itself has few enough values for the registers.
func blocksAVX2(dst, src []byte, w walk) (n int, end walk) {
	quote, slash := archsimd.BroadcastUint8x32('"'), archsimd.BroadcastUint8x32('\\')
	table := archsimd.LoadUint8x32Array((*[32]uint8)(whites[:]))
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	var keeps [32]uint64
	for i := 0; i < len(src); i += len(keeps) * blockBytes {
		blocks := min(len(keeps), (len(src)-i)/blockBytes)
		for k := range keeps[:blocks] {
			p := unsafe.Add(from, i+k*blockBytes)
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
			keeps[k] = ^white | inside
		}
		n += compressAVX2(unsafe.Add(to, n), unsafe.Add(from, i), &keeps[0], blocks)
	}
	archsimd.ClearAVXUpperBits()
	return n, w
}

// compressAVX2 moves what stays of blocks together, by masks of it, and returns how much that
// is. There is no instruction for it, so it shuffles eight bytes at a time by a table. It is
// assembly because the whole takes 1.6 times as long with what the compiler makes of the same.
//
//go:noescape
func compressAVX2(dst, src unsafe.Pointer, keeps *uint64, blocks int) (n int)

func keptByAVX2(dst, src []byte, keeps []uint64) (n int) {
	if len(keeps) == 0 {
		return 0
	}
	_, _ = src[len(keeps)*blockBytes-1], dst[len(keeps)*blockBytes-1]
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	return compressAVX2(to, from, &keeps[0], len(keeps))
}

func summarizeAVX2(b []byte) (s Summary) {
	if len(b) < shortBytes {
		s.setPlain(b)
		return s
	}
	whole := len(b) &^ (blockBytes - 1)
	w, white, outside := whitesAVX2(b[:whole], walk{})
	if whole < len(b) {
		var last [blockBytes]byte
		_, w = w.pad(last[:], b[whole:])
		w1, more, moreOutside := whitesAVX2(last[:], w)
		w, white, outside = w1, white+more, outside+moreOutside
	}
	return w.summary(b, white, outside)
}

// whitesAVX2 makes each mask of a block of two comparisons. See whitesAVX512.
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
			escaped, w.escaped = escapes(slashes, w.escaped)
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
