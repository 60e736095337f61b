//go:build goexperiment.simd && arm64

package pattern

import (
	"simd/archsimd"
	"unsafe"
)

// sieveNEON tests 64 places per iteration. See Sieve.
func sieveNEON(p *Pattern, b []byte, from, doubt int) int {
	const unrolled = 64
	first, second := p.first, p.second
	value1, value2 := archsimd.BroadcastUint8x16(first.value), archsimd.BroadcastUint8x16(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x16(first.mask), archsimd.BroadcastUint8x16(second.mask)
	value3 := archsimd.BroadcastUint8x16(*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.value)), doubt)))
	mask3 := archsimd.BroadcastUint8x16(*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.mask)), doubt)))
	var zero archsimd.Uint8x16
	base := unsafe.Pointer(unsafe.SliceData(b))
	i := from
	for safe := len(b) - unrolled - max(len(p.value), probeBytes); i <= safe; i += unrolled {
		block := unsafe.Add(base, i)
		zeros := archsimd.LoadUint8x16Array((*[16]uint8)(block)).
			Min(archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(block, 16)))).
			Min(archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(block, 32))).
				Min(archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(block, 48))))).Equal(zero)
		one, two := unsafe.Add(block, first.off), unsafe.Add(block, second.off)
		k0 := archsimd.LoadUint8x16Array((*[16]uint8)(one)).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x16Array((*[16]uint8)(two)).And(mask2).Equal(value2))
		k1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(one, 16))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(two, 16))).And(mask2).Equal(value2))
		k2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(one, 32))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(two, 32))).And(mask2).Equal(value2))
		k3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(one, 48))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(two, 48))).And(mask2).Equal(value2))
		if k0.Or(k1).Or(k2.Or(k3)).Or(zeros).ToInt8x16().ToBits().ReduceMax() == 0 {
			continue
		}
		third := unsafe.Add(block, doubt)
		k0 = k0.And(archsimd.LoadUint8x16Array((*[16]uint8)(third)).And(mask3).Equal(value3))
		k1 = k1.And(archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(third, 16))).And(mask3).Equal(value3))
		k2 = k2.And(archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(third, 32))).And(mask3).Equal(value3))
		k3 = k3.And(archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(third, 48))).And(mask3).Equal(value3))
		if k0.Or(k1).Or(k2.Or(k3)).Or(zeros).ToInt8x16().ToBits().ReduceMax() != 0 {
			break
		}
	}
	return i
}
