//go:build goexperiment.simd && arm64

package minify

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// places puts the upper half of a vector between the lower one, and weights gives each byte
// its bit then: see blockNEON.
var (
	places  = [16]uint8{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}
	weights = [16]uint8{1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128}
)

// row is the white space of JSON, each at the place that its low four bits are. Elsewhere
// stands a byte whose low four bits are another place: zero, where at zero itself stands the
// space.
var row = [16]uint8{0: ' ', 9: '\t', 10: '\n', 13: '\r'}

func minifyNEON(dst, src []byte, begin State) (n int, end State) {
	if len(src) < shortBytes {
		return minifyPlain(dst, src, begin)
	}
	_ = dst[len(src)-1] // what follows checks no bounds
	whole := len(src) &^ (blockBytes - 1)
	n, w := blocksNEON(dst, src[:whole], walkFrom(begin))
	if whole < len(src) {
		var last, kept [blockBytes]byte
		padding, w0 := w.pad(last[:], src[whole:])
		m, w1 := blocksNEON(kept[:], last[:], w0)
		n, w = n+copy(dst[n:], kept[padding:m]), w1
	}
	return n, w.state()
}

// blocksNEON keeps what is not white space outside of strings.
func blocksNEON(dst, src []byte, w walk) (n int, end walk) {
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for i := 0; i < len(src); i += blockBytes {
		p := unsafe.Add(from, i)
		white, inside := w.blockNEON((*[blockBytes]uint8)(p))
		n += moveNEON(unsafe.Add(to, n), p, ^white|inside)
	}
	return n, w
}

func keptByNEON(dst, src []byte, keeps []uint64) (n int) {
	if len(keeps) == 0 {
		return 0
	}
	_, _ = src[len(keeps)*blockBytes-1], dst[len(keeps)*blockBytes-1]
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for i, keep := range keeps {
		n += moveNEON(unsafe.Add(to, n), unsafe.Add(from, i*blockBytes), keep)
	}
	return n
}

// moveNEON moves what stays of a block together and returns how much that is. It shuffles as
// compressAVX2 does, and like it loads all of a block before it stores.
func moveNEON(to, p unsafe.Pointer, keep uint64) (n int) {
	var lone archsimd.Uint64x2
	e0 := archsimd.LoadUint8x16Array((*[16]uint8)(p))
	e1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 8)))
	e2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16)))
	e3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 24)))
	e4 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32)))
	e5 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 40)))
	e6 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48)))
	e7 := lone.SetElem(0, *(*uint64)(unsafe.Add(p, 56))).ReshapeToUint8s()
	if keep == ^uint64(0) {
		e0.StoreArray((*[16]uint8)(unsafe.Add(to, n)))
		e2.StoreArray((*[16]uint8)(unsafe.Add(to, n+16)))
		e4.StoreArray((*[16]uint8)(unsafe.Add(to, n+32)))
		e6.StoreArray((*[16]uint8)(unsafe.Add(to, n+48)))
		return blockBytes
	}
	e0.LookupOrZero(archsimd.LoadUint8x16Array(shuffle(keep))).StoreArray((*[16]uint8)(unsafe.Add(to, n)))
	n += bits.OnesCount8(uint8(keep))
	e1.LookupOrZero(archsimd.LoadUint8x16Array(shuffle(keep >> 8))).StoreArray((*[16]uint8)(unsafe.Add(to, n)))
	n += bits.OnesCount8(uint8(keep >> 8))
	e2.LookupOrZero(archsimd.LoadUint8x16Array(shuffle(keep >> 16))).StoreArray((*[16]uint8)(unsafe.Add(to, n)))
	n += bits.OnesCount8(uint8(keep >> 16))
	e3.LookupOrZero(archsimd.LoadUint8x16Array(shuffle(keep >> 24))).StoreArray((*[16]uint8)(unsafe.Add(to, n)))
	n += bits.OnesCount8(uint8(keep >> 24))
	e4.LookupOrZero(archsimd.LoadUint8x16Array(shuffle(keep >> 32))).StoreArray((*[16]uint8)(unsafe.Add(to, n)))
	n += bits.OnesCount8(uint8(keep >> 32))
	e5.LookupOrZero(archsimd.LoadUint8x16Array(shuffle(keep >> 40))).StoreArray((*[16]uint8)(unsafe.Add(to, n)))
	n += bits.OnesCount8(uint8(keep >> 40))
	e6.LookupOrZero(archsimd.LoadUint8x16Array(shuffle(keep >> 48))).StoreArray((*[16]uint8)(unsafe.Add(to, n)))
	n += bits.OnesCount8(uint8(keep >> 48))
	*(*uint64)(unsafe.Add(to, n)) = e7.LookupOrZero(archsimd.LoadUint8x16Array(shuffle(keep >> 56))).
		ReshapeToUint64s().GetElem(0)
	n += bits.OnesCount8(uint8(keep >> 56))
	return n
}

// shuffle returns where the bytes that stay by the lowest eight bits come from. What follows
// the eight places belongs to another mask.
func shuffle(keep uint64) *[16]uint8 { return (*[16]uint8)(unsafe.Pointer(&shuffles[uint8(keep)])) }

func summarizeNEON(b []byte) (s Summary) {
	if len(b) < shortBytes {
		s.setPlain(b)
		return s
	}
	whole := len(b) &^ (blockBytes - 1)
	w, white, outside := whitesNEON(b[:whole], walk{})
	if whole < len(b) {
		var last [blockBytes]byte
		_, w = w.pad(last[:], b[whole:])
		w1, more, moreOutside := whitesNEON(last[:], w)
		w, white, outside = w1, white+more, outside+moreOutside
	}
	return w.summary(b, white, outside)
}

// whitesNEON counts the white space, in all and outside of strings.
func whitesNEON(b []byte, w walk) (end walk, all, outside int) {
	from := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i < len(b); i += blockBytes {
		white, inside := w.blockNEON((*[blockBytes]uint8)(unsafe.Add(from, i)))
		all += bits.OnesCount64(white)
		outside += bits.OnesCount64(white &^ inside)
	}
	return w, all, outside
}

// blockNEON returns the bits of the white space of the next block and of what is inside of
// strings, and walks over it.
//
// There is no instruction that makes masks: a byte that is equal keeps only the bit of its
// place, and three rounds of adding neighbours of 16 bits bring the bits together. As
// neighbours are two bytes apart, the bytes are brought into such an order before.
func (w *walk) blockNEON(b *[blockBytes]uint8) (white, inside uint64) {
	order, weight := archsimd.LoadUint8x16Array(&places), archsimd.LoadUint8x16Array(&weights)
	quote, slash := archsimd.BroadcastUint8x16('"'), archsimd.BroadcastUint8x16('\\')
	table, low := archsimd.LoadUint8x16Array(&row), archsimd.BroadcastUint8x16(15)
	v0 := archsimd.LoadUint8x16Array((*[16]uint8)(b[0:])).LookupOrZero(order)
	v1 := archsimd.LoadUint8x16Array((*[16]uint8)(b[16:])).LookupOrZero(order)
	v2 := archsimd.LoadUint8x16Array((*[16]uint8)(b[32:])).LookupOrZero(order)
	v3 := archsimd.LoadUint8x16Array((*[16]uint8)(b[48:])).LookupOrZero(order)
	quotes01 := weight.Masked(v0.Equal(quote)).ReshapeToUint16s().
		ConcatAddPairs(weight.Masked(v1.Equal(quote)).ReshapeToUint16s())
	quotes23 := weight.Masked(v2.Equal(quote)).ReshapeToUint16s().
		ConcatAddPairs(weight.Masked(v3.Equal(quote)).ReshapeToUint16s())
	white01 := weight.Masked(table.LookupOrZero(v0.And(low)).Equal(v0)).ReshapeToUint16s().
		ConcatAddPairs(weight.Masked(table.LookupOrZero(v1.And(low)).Equal(v1)).ReshapeToUint16s())
	white23 := weight.Masked(table.LookupOrZero(v2.And(low)).Equal(v2)).ReshapeToUint16s().
		ConcatAddPairs(weight.Masked(table.LookupOrZero(v3.And(low)).Equal(v3)).ReshapeToUint16s())
	both := quotes01.ConcatAddPairs(quotes23).ConcatAddPairs(white01.ConcatAddPairs(white23)).
		ReshapeToUint32s().ReshapeToUint64s()
	quotes, white := both.GetElem(0), both.GetElem(1)

	s0, s1, s2, s3 := v0.Equal(slash), v1.Equal(slash), v2.Equal(slash), v3.Equal(slash)
	if w.escaped != 0 || weight.Masked(s0.Or(s1).Or(s2.Or(s3))).ReduceMax() != 0 {
		slashes01 := weight.Masked(s0).ReshapeToUint16s().ConcatAddPairs(weight.Masked(s1).ReshapeToUint16s())
		slashes23 := weight.Masked(s2).ReshapeToUint16s().ConcatAddPairs(weight.Masked(s3).ReshapeToUint16s())
		slashes := slashes01.ConcatAddPairs(slashes23)
		var escaped uint64
		mask := slashes.ConcatAddPairs(slashes).ReshapeToUint32s().ReshapeToUint64s().GetElem(0)
		escaped, w.escaped = escapes(mask, w.escaped)
		quotes &^= escaped
	}
	inside = w.inside
	if quotes != 0 {
		inside ^= prefixXor(quotes)
		w.inside = uint64(int64(inside) >> 63)
	}
	return white, inside
}

// prefixXor returns at each bit the exclusive or of all bits up to it: after the shift by
// 1<<i, a bit stands for the 2<<i places that end there. A multiplication without carries
// is no part of every NEON.
func prefixXor(mask uint64) uint64 {
	mask ^= mask << 1
	mask ^= mask << 2
	mask ^= mask << 4
	mask ^= mask << 8
	mask ^= mask << 16
	return mask ^ mask<<32
}
