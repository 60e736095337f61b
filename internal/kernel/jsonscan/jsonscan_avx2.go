//go:build goexperiment.simd && amd64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"
)

// markAVX2 makes each mask of a block of two comparisons. It has no compression, so a table gives the
// places of a byte of the mask, and where they go is known from the mask alone. See markAVX512.
func markAVX2(b []byte, begins []uint16, escaped []uint64, at State) (int, State, Found) {
	w := walkFrom(at)
	quote, slash := archsimd.BroadcastUint8x32('"'), archsimd.BroadcastUint8x32('\\')
	space, control31 := archsimd.BroadcastUint8x32(' '), archsimd.BroadcastUint8x32(0x1f)
	whites := archsimd.LoadUint8x32Array((*[32]uint8)(whites[:]))
	alones := archsimd.LoadUint8x32Array((*[32]uint8)(alones[:]))
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2
	var any archsimd.Uint8x32
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
		v0 := archsimd.LoadUint8x32Array((*[32]uint8)(p))
		v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))
		any = any.Or(v0).Or(v1)
		quotes := uint64(v0.Equal(quote).ToBits()) | uint64(v1.Equal(quote).ToBits())<<32
		slashes := uint64(v0.Equal(slash).ToBits()) | uint64(v1.Equal(slash).ToBits())<<32
		white := uint64(whites.PermuteOrZeroGrouped(v0.BitsToInt8()).Equal(v0).ToBits()) |
			uint64(whites.PermuteOrZeroGrouped(v1.BitsToInt8()).Equal(v1).ToBits())<<32
		f0, f1 := v0.Or(space), v1.Or(space)
		alone := uint64(alones.PermuteOrZeroGrouped(f0.BitsToInt8()).Equal(f0).ToBits()) |
			uint64(alones.PermuteOrZeroGrouped(f1.BitsToInt8()).Equal(f1).ToBits())<<32
		control := uint64(v0.Min(control31).Equal(v0).ToBits()) | uint64(v1.Min(control31).Equal(v1).ToBits())<<32
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
	wide := any.BitsToInt8().Less(archsimd.BroadcastInt8x32(0)).ToBits()
	archsimd.ClearAVXUpperBits()
	return n, w.state(), Found{Foul: foul != 0, Wide: wide != 0, Escapes: allEscaped != 0}
}
