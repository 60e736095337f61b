//go:build goexperiment.simd && arm64

package minify

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// masksNEON finds the white space of some blocks, and the bytes to keep, for at most as many blocks
// as there is room for.
//
// NEON has no instruction that makes masks: a byte that is equal keeps only the bit of its place,
// and three rounds of adding neighbours of 16 bits gather the bits. Neighbours are two bytes apart,
// so the bytes are reordered first.
func masksNEON(white, keeps *[tileBlocks]uint64, b []byte, w walk) (end walk) {
	order, weight := archsimd.LoadUint8x16Array(&places), archsimd.LoadUint8x16Array(&weights)
	quote, slash := archsimd.BroadcastUint8x16('"'), archsimd.BroadcastUint8x16('\\')
	table, low := archsimd.LoadUint8x16Array(&row), archsimd.BroadcastUint8x16(15)
	from := unsafe.Pointer(unsafe.SliceData(b))
	for i := range min(len(b)/blockBytes, tileBlocks) {
		p := unsafe.Add(from, i*blockBytes)
		v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p)).LookupOrZero(order)
		v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16))).LookupOrZero(order)
		v2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32))).LookupOrZero(order)
		v3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48))).LookupOrZero(order)
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
		quotes := both.GetElem(0)
		white[i] = both.GetElem(1)

		s0, s1, s2, s3 := v0.Equal(slash), v1.Equal(slash), v2.Equal(slash), v3.Equal(slash)
		if w.escaped != 0 || weight.Masked(s0.Or(s1).Or(s2.Or(s3))).ReduceMax() != 0 {
			slashes01 := weight.Masked(s0).ReshapeToUint16s().ConcatAddPairs(weight.Masked(s1).ReshapeToUint16s())
			slashes23 := weight.Masked(s2).ReshapeToUint16s().ConcatAddPairs(weight.Masked(s3).ReshapeToUint16s())
			slashes := slashes01.ConcatAddPairs(slashes23)
			var escaped uint64
			mask := slashes.ConcatAddPairs(slashes).ReshapeToUint32s().ReshapeToUint64s().GetElem(0)
			escaped, w.escaped = kernel.Escapes(mask, w.escaped)
			quotes &^= escaped
		}
		inside := w.inside
		if quotes != 0 {
			inside ^= kernel.PrefixXor(quotes)
			w.inside = uint64(int64(inside) >> 63)
		}
		keeps[i] = ^white[i] | inside
	}
	return w
}

// keptByNEON shuffles eight bytes at a time by a table, as compressAVX2 does. Like it, it loads a
// whole block before it stores anything.
func keptByNEON(dst, src []byte, keeps []uint64) (n int) {
	if len(keeps) == 0 {
		return 0
	}
	_, _ = src[len(keeps)*blockBytes-1], dst[len(keeps)*blockBytes-1]
	var lone archsimd.Uint64x2
	from, base := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for i, keep := range keeps {
		p, to := unsafe.Add(from, i*blockBytes), unsafe.Add(base, n)
		e0 := archsimd.LoadUint8x16Array((*[16]uint8)(p))
		e1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 8)))
		e2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16)))
		e3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 24)))
		e4 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32)))
		e5 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 40)))
		e6 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48)))
		e7 := lone.SetElem(0, *(*uint64)(unsafe.Add(p, 56))).ReshapeToUint8s()
		if keep == ^uint64(0) {
			e0.StoreArray((*[16]uint8)(to))
			e2.StoreArray((*[16]uint8)(unsafe.Add(to, 16)))
			e4.StoreArray((*[16]uint8)(unsafe.Add(to, 32)))
			e6.StoreArray((*[16]uint8)(unsafe.Add(to, 48)))
			n += blockBytes
			continue
		}
		ends := sums(keep) // byte i is where the kept bytes of e0 to ei end
		e0.LookupOrZero(archsimd.LoadUint8x16Array(shuffle(keep))).StoreArray((*[16]uint8)(to))
		e1.LookupOrZero(archsimd.LoadUint8x16Array(shuffle(keep >> 8))).
			StoreArray((*[16]uint8)(unsafe.Add(to, uint8(ends))))
		e2.LookupOrZero(archsimd.LoadUint8x16Array(shuffle(keep >> 16))).
			StoreArray((*[16]uint8)(unsafe.Add(to, uint8(ends>>8))))
		e3.LookupOrZero(archsimd.LoadUint8x16Array(shuffle(keep >> 24))).
			StoreArray((*[16]uint8)(unsafe.Add(to, uint8(ends>>16))))
		e4.LookupOrZero(archsimd.LoadUint8x16Array(shuffle(keep >> 32))).
			StoreArray((*[16]uint8)(unsafe.Add(to, uint8(ends>>24))))
		e5.LookupOrZero(archsimd.LoadUint8x16Array(shuffle(keep >> 40))).
			StoreArray((*[16]uint8)(unsafe.Add(to, uint8(ends>>32))))
		e6.LookupOrZero(archsimd.LoadUint8x16Array(shuffle(keep >> 48))).
			StoreArray((*[16]uint8)(unsafe.Add(to, uint8(ends>>40))))
		*(*uint64)(unsafe.Add(to, uint8(ends>>48))) =
			e7.LookupOrZero(archsimd.LoadUint8x16Array(shuffle(keep >> 56))).ReshapeToUint64s().GetElem(0)
		n += int(ends >> 56)
	}
	return n
}

// shuffle returns the indexes of the bytes to keep, for the lowest eight bits of keep. What follows
// the eight indexes belongs to another mask.
func shuffle(keep uint64) *[16]uint8 { return (*[16]uint8)(unsafe.Pointer(&shuffles[uint8(keep)])) }

// sums returns in each byte the number of bits set in that byte of the mask and those below it.
func sums(mask uint64) uint64 {
	mask -= mask >> 1 & 0x5555555555555555
	mask = mask&0x3333333333333333 + mask>>2&0x3333333333333333
	return (mask + mask>>4) & 0x0f0f0f0f0f0f0f0f * 0x0101010101010101
}
