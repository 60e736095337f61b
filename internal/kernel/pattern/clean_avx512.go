//go:build goexperiment.simd && amd64

package pattern

import (
	"simd/archsimd"
	"unsafe"
)

// sieveAVX512 tests 256 places per iteration. See Sieve.
func sieveAVX512(p *Pattern, b []byte, from, doubt int) int {
	const unrolled = 256
	first, second := p.first, p.second
	value1, value2 := archsimd.BroadcastUint8x64(first.value), archsimd.BroadcastUint8x64(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x64(first.mask), archsimd.BroadcastUint8x64(second.mask)
	value3 := archsimd.BroadcastUint8x64(*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.value)), doubt)))
	mask3 := archsimd.BroadcastUint8x64(*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.mask)), doubt)))
	var zero archsimd.Uint8x64
	base := unsafe.Pointer(unsafe.SliceData(b))
	rare, next := unsafe.Add(base, first.off), unsafe.Add(base, second.off)
	i := from
	for safe := len(b) - unrolled - max(len(p.value), probeBytes); i <= safe; i += unrolled {
		block := unsafe.Add(base, i)
		least := archsimd.LoadUint8x64Array((*[64]uint8)(block)).
			Min(archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(block, 64)))).
			Min(archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(block, 128))).
				Min(archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(block, 192)))))
		zeros := least.Equal(zero).ToBits()
		k0 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i))).And(mask2).Equal(value2).ToBits()
		k1 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i+64))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i+64))).And(mask2).Equal(value2).ToBits()
		k2 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i+128))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i+128))).And(mask2).Equal(value2).ToBits()
		k3 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i+192))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i+192))).And(mask2).Equal(value2).ToBits()
		if k0|k1|k2|k3|zeros == 0 {
			continue
		}
		third := unsafe.Add(block, doubt)
		k0 &= archsimd.LoadUint8x64Array((*[64]uint8)(third)).And(mask3).Equal(value3).ToBits()
		k1 &= archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(third, 64))).And(mask3).Equal(value3).ToBits()
		k2 &= archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(third, 128))).And(mask3).Equal(value3).ToBits()
		k3 &= archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(third, 192))).And(mask3).Equal(value3).ToBits()
		if k0|k1|k2|k3|zeros != 0 {
			break
		}
	}
	archsimd.ClearAVXUpperBits()
	return i
}
