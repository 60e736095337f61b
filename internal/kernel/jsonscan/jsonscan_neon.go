//go:build goexperiment.simd && arm64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"
)

// places puts the upper half of a vector between the lower one: byte i to 2*i, and byte
// i+8 to 2*i+1.
var places = [16]uint8{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}

// weights gives the bytes at 2*i and 2*i+1 their bit in the bytes of a mask.
var weights = [16]uint8{1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128}

// markNEON makes the masks without an instruction for it: a byte that is equal keeps only the
// bit of its place, and rounds of adding neighbours of 16 bits bring the bits of a block
// together. As neighbours are two bytes apart, the bytes are brought into such an
// order before. A multiplication without carries is no part of every NEON, so six shifts do
// its work. See markAVX2.
func markNEON(b []byte, begins []uint16, escaped []uint64, at State) (int, State, Found) {
	w := walkFrom(at)
	order, weight := archsimd.LoadUint8x16Array(&places), archsimd.LoadUint8x16Array(&weights)
	quote, slash := archsimd.BroadcastUint8x16('"'), archsimd.BroadcastUint8x16('\\')
	space := archsimd.BroadcastUint8x16(' ')
	half := archsimd.BroadcastUint8x16(0x0f)
	whites := archsimd.LoadUint8x16Array((*[16]uint8)(whites[:]))
	alones := archsimd.LoadUint8x16Array((*[16]uint8)(alones[:]))
	var any archsimd.Uint8x16
	var foul, allEscaped uint64
	var place archsimd.Uint16x8 // of the next eight bytes
	eight := archsimd.BroadcastUint16x8(8)
	list := unsafe.Pointer(unsafe.SliceData(begins))
	base := unsafe.Pointer(unsafe.SliceData(b))
	escaped = escaped[:len(b)/BlockBytes]
	_ = begins[:len(b)+BlockBytes]
	n := 0
	for i := range escaped {
		p := unsafe.Add(base, i*BlockBytes)
		v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p)).LookupOrZero(order)
		v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16))).LookupOrZero(order)
		v2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32))).LookupOrZero(order)
		v3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48))).LookupOrZero(order)
		any = any.Or(v0).Or(v1).Or(v2.Or(v3))
		quotes01 := weight.Masked(v0.Equal(quote)).ReshapeToUint16s().
			ConcatAddPairs(weight.Masked(v1.Equal(quote)).ReshapeToUint16s())
		quotes23 := weight.Masked(v2.Equal(quote)).ReshapeToUint16s().
			ConcatAddPairs(weight.Masked(v3.Equal(quote)).ReshapeToUint16s())
		slashes01 := weight.Masked(v0.Equal(slash)).ReshapeToUint16s().
			ConcatAddPairs(weight.Masked(v1.Equal(slash)).ReshapeToUint16s())
		slashes23 := weight.Masked(v2.Equal(slash)).ReshapeToUint16s().
			ConcatAddPairs(weight.Masked(v3.Equal(slash)).ReshapeToUint16s())
		both := quotes01.ConcatAddPairs(quotes23).ConcatAddPairs(slashes01.ConcatAddPairs(slashes23)).
			ReshapeToUint32s().ReshapeToUint64s()
		quotes, slashes := both.GetElem(0), both.GetElem(1)

		white01 := weight.Masked(whites.LookupOrZero(v0.And(half)).Equal(v0)).ReshapeToUint16s().
			ConcatAddPairs(weight.Masked(whites.LookupOrZero(v1.And(half)).Equal(v1)).ReshapeToUint16s())
		white23 := weight.Masked(whites.LookupOrZero(v2.And(half)).Equal(v2)).ReshapeToUint16s().
			ConcatAddPairs(weight.Masked(whites.LookupOrZero(v3.And(half)).Equal(v3)).ReshapeToUint16s())
		f0, f1, f2, f3 := v0.Or(space), v1.Or(space), v2.Or(space), v3.Or(space)
		alone01 := weight.Masked(alones.LookupOrZero(f0.And(half)).Equal(f0)).ReshapeToUint16s().
			ConcatAddPairs(weight.Masked(alones.LookupOrZero(f1.And(half)).Equal(f1)).ReshapeToUint16s())
		alone23 := weight.Masked(alones.LookupOrZero(f2.And(half)).Equal(f2)).ReshapeToUint16s().
			ConcatAddPairs(weight.Masked(alones.LookupOrZero(f3.And(half)).Equal(f3)).ReshapeToUint16s())
		both = white01.ConcatAddPairs(white23).ConcatAddPairs(alone01.ConcatAddPairs(alone23)).
			ReshapeToUint32s().ReshapeToUint64s()
		white, alone := both.GetElem(0), both.GetElem(1)

		var control uint64
		if v0.Min(v1).Min(v2.Min(v3)).ReduceMin() < ' ' {
			control01 := weight.Masked(v0.Less(space)).ReshapeToUint16s().
				ConcatAddPairs(weight.Masked(v1.Less(space)).ReshapeToUint16s())
			control23 := weight.Masked(v2.Less(space)).ReshapeToUint16s().
				ConcatAddPairs(weight.Masked(v3.Less(space)).ReshapeToUint16s())
			pairs := control01.ConcatAddPairs(control23)
			control = pairs.ConcatAddPairs(pairs).ReshapeToUint32s().ReshapeToUint64s().GetElem(0)
		}
		var escape uint64
		if slashes|w.escaped != 0 {
			escape, w.escaped = escapes(slashes, w.escaped)
			quotes &^= escape
			allEscaped |= escape
		}
		within := w.inside ^ prefixXor(quotes)
		w.inside = uint64(int64(within) >> 63)
		foul |= control&within | slashes&^within
		outside := ^(within | quotes)
		words := outside &^ (white | alone)
		starts := words &^ (words<<1 | w.inWord)
		w.inWord = words >> 63
		escaped[i] = escape
		mask := quotes&within | alone&outside | starts
		upTo, to := counts(mask), unsafe.Add(list, 2*n)
		n += int(upTo >> 56)
		upTo <<= 8
		for range BlockBytes / 8 {
			// Each store is whole; the next one overwrites what is too much.
			places := archsimd.LoadUint16x8Array(&spread[uint8(mask)]).Add(place)
			places.StoreArray((*[8]uint16)(unsafe.Add(to, 2*(upTo&0xff))))
			place, mask, upTo = place.Add(eight), mask>>8, upTo>>8
		}
	}
	return n, w.state(), Found{Foul: foul != 0, Wide: any.ReduceMax() > 0x7f, Escapes: allEscaped != 0}
}

// prefixXor returns at each bit the exclusive or of all bits up to it: after the shift by
// 1<<i, a bit stands for the 2<<i places that end there.
func prefixXor(mask uint64) uint64 {
	mask ^= mask << 1
	mask ^= mask << 2
	mask ^= mask << 4
	mask ^= mask << 8
	mask ^= mask << 16
	return mask ^ mask<<32
}
