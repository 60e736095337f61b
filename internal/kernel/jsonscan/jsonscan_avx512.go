//go:build goexperiment.simd && amd64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"
)

// markAVX512 goes as jsonscan.go says.
func markAVX512(b []byte, marks []Marks, at State) (State, Found) {
	w := walkFrom(at)
	quote, slash := archsimd.BroadcastUint8x64('"'), archsimd.BroadcastUint8x64('\\')
	space := archsimd.BroadcastUint8x64(' ')
	whites, alones := archsimd.LoadUint8x64Array(&whites), archsimd.LoadUint8x64Array(&alones)
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // takes a mask to the multiplication
	var any archsimd.Uint8x64  // all bytes, one over the other
	var foul, allEscaped uint64
	base := unsafe.Pointer(unsafe.SliceData(b))
	marks = marks[:len(b)/BlockBytes]
	for i := range marks {
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
		marks[i] = Marks{Begins: quotes&inside | alone&outside | starts, Words: starts, Escaped: escape}
	}
	wide := any.BitsToInt8().Less(archsimd.BroadcastInt8x64(0)).ToBits()
	archsimd.ClearAVXUpperBits()
	return w.state(), Found{Foul: foul != 0, Wide: wide != 0, Escapes: allEscaped != 0}
}
