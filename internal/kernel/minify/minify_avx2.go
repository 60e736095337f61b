//go:build goexperiment.simd && amd64

package minify

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

func minifyAVX2(dst, src []byte, begin State) (n int, end State) {
	if len(src) < shortBytes {
		return plain.Minify(dst, src, begin) // inlined it is slower, for want of registers
	}
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

// blocksAVX2 has no compression, so it shuffles eight bytes at a time by a table, and stores
// sixteen, of which the next eight overwrite what is too much. All loads of a block come
// before its stores, which may be to the same memory; the last store is of eight, and so
// does not reach into the next block.
func blocksAVX2(dst, src []byte, w walk) (n int, end walk) {
	quote, slash := archsimd.BroadcastUint8x32('"'), archsimd.BroadcastUint8x32('\\')
	table := archsimd.LoadUint8x32Array((*[32]uint8)(whites[:]))
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for i := 0; i < len(src); i += blockBytes {
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
		e0 := archsimd.LoadUint8x16Array((*[16]uint8)(p))
		e1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 8)))
		e2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16)))
		e3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 24)))
		e4 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32)))
		e5 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 40)))
		e6 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48)))
		e7 := lone.SetElem(0, *(*uint64)(unsafe.Add(p, 56))).ReshapeToUint8s()
		e0.PermuteOrZero(archsimd.LoadInt8x16Array(shuffle(keep))).StoreArray((*[16]uint8)(unsafe.Add(to, n)))
		n += bits.OnesCount8(uint8(keep))
		e1.PermuteOrZero(archsimd.LoadInt8x16Array(shuffle(keep >> 8))).StoreArray((*[16]uint8)(unsafe.Add(to, n)))
		n += bits.OnesCount8(uint8(keep >> 8))
		e2.PermuteOrZero(archsimd.LoadInt8x16Array(shuffle(keep >> 16))).StoreArray((*[16]uint8)(unsafe.Add(to, n)))
		n += bits.OnesCount8(uint8(keep >> 16))
		e3.PermuteOrZero(archsimd.LoadInt8x16Array(shuffle(keep >> 24))).StoreArray((*[16]uint8)(unsafe.Add(to, n)))
		n += bits.OnesCount8(uint8(keep >> 24))
		e4.PermuteOrZero(archsimd.LoadInt8x16Array(shuffle(keep >> 32))).StoreArray((*[16]uint8)(unsafe.Add(to, n)))
		n += bits.OnesCount8(uint8(keep >> 32))
		e5.PermuteOrZero(archsimd.LoadInt8x16Array(shuffle(keep >> 40))).StoreArray((*[16]uint8)(unsafe.Add(to, n)))
		n += bits.OnesCount8(uint8(keep >> 40))
		e6.PermuteOrZero(archsimd.LoadInt8x16Array(shuffle(keep >> 48))).StoreArray((*[16]uint8)(unsafe.Add(to, n)))
		n += bits.OnesCount8(uint8(keep >> 48))
		*(*uint64)(unsafe.Add(to, n)) = e7.PermuteOrZero(archsimd.LoadInt8x16Array(shuffle(keep >> 56))).
			ReshapeToUint64s().GetElem(0)
		n += bits.OnesCount8(uint8(keep >> 56))
	}
	archsimd.ClearAVXUpperBits()
	return n, w
}

// shuffle returns where the bytes that stay by the lowest eight bits come from. What follows
// the eight places belongs to another mask.
func shuffle(keep uint64) *[16]int8 { return (*[16]int8)(unsafe.Pointer(&shuffles[uint8(keep)])) }

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
