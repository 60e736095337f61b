//go:build goexperiment.simd && amd64

package jsonscan

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// upTo64 is the places of a block.
var upTo64 = func() (all [64]uint8) {
	for i := range all {
		all[i] = uint8(i)
	}
	return all
}()

// markAVX512 writes the places of a block by compressing all places under the mask, 32 of them at a
// time, as more are rare. The exclusive or with zero makes a copy that the compression may
// overwrite, so that it does not wait for whatever was there before.
func markAVX512(b []byte, begins []uint16, escaped []uint64, at State) (int, State, Found) {
	w := walkFrom(at)
	quote, slash := archsimd.BroadcastUint8x64('"'), archsimd.BroadcastUint8x64('\\')
	space := archsimd.BroadcastUint8x64(' ')
	whites, alones := archsimd.LoadUint8x64Array(&whites), archsimd.LoadUint8x64Array(&alones)
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // takes a mask to the multiplication
	var any archsimd.Uint8x64  // all bytes, one over the other
	var foul, allEscaped uint64
	var zero archsimd.Uint8x64
	var place archsimd.Uint16x32 // of the block
	order, block := archsimd.LoadUint8x64Array(&upTo64), archsimd.BroadcastUint16x32(BlockBytes)
	list := unsafe.Pointer(unsafe.SliceData(begins))
	base := unsafe.Pointer(unsafe.SliceData(b))
	escaped = escaped[:len(b)/BlockBytes]
	_ = begins[:len(b)+BlockBytes]
	n := 0
	for i := range escaped {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, i*BlockBytes)))
		any = any.Or(v)
		quotes, slashes := v.Equal(quote).ToBits(), v.Equal(slash).ToBits()
		white := whites.PermuteOrZeroGrouped(v.BitsToInt8()).Equal(v).ToBits()
		folded := v.Or(space) // with bit 5 set
		alone := alones.PermuteOrZeroGrouped(folded.BitsToInt8()).Equal(folded).ToBits()
		control := v.Less(space).ToBits()
		var escape uint64
		if slashes|w.escaped != 0 {
			escape, w.escaped = escapes(slashes, w.escaped)
			quotes &^= escape
			allEscaped |= escape
		}
		inside := w.inside ^ lone.SetElem(0, quotes).CarrylessMultiplyEven(ones).GetElem(0)
		w.inside = uint64(int64(inside) >> 63)
		foul |= control&inside | slashes&^inside
		outside := ^(inside | quotes)
		words := outside &^ (white | alone)
		starts := words &^ (words<<1 | w.inWord)
		w.inWord = words >> 63
		escaped[i] = escape
		mask := quotes&inside | alone&outside | starts
		places := order.Xor(zero).Compress(archsimd.Mask8x64FromBits(mask))
		to := unsafe.Add(list, 2*n)
		places.GetLo().ExtendToUint16().Add(place).StoreArray((*[32]uint16)(to))
		count := bits.OnesCount64(mask)
		if count > 32 {
			places.GetHi().ExtendToUint16().Add(place).StoreArray((*[32]uint16)(unsafe.Add(to, 64)))
		}
		place = place.Add(block)
		n += count
	}
	wide := any.BitsToInt8().Less(archsimd.BroadcastInt8x64(0)).ToBits()
	archsimd.ClearAVXUpperBits()
	return n, w.state(), Found{Foul: foul != 0, Wide: wide != 0, Escapes: allEscaped != 0}
}
