//go:build goexperiment.simd && amd64

package pattern

import (
	"simd/archsimd"
	"unsafe"
)

// sieveAVX2 tests 128 places per iteration. See Sieve.
func sieveAVX2(p *Pattern, b []byte, from, doubt int) int {
	const unrolled = 128
	first, second := p.first, p.second
	value1, value2 := archsimd.BroadcastUint8x32(first.value), archsimd.BroadcastUint8x32(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x32(first.mask), archsimd.BroadcastUint8x32(second.mask)
	value3, mask3 := positionAVX2(p, doubt)
	var zero archsimd.Uint8x32
	base := unsafe.Pointer(unsafe.SliceData(b))
	rare, next := unsafe.Add(base, first.off), unsafe.Add(base, second.off)
	i := from
	for safe := len(b) - unrolled - max(len(p.value), probeBytes); i <= safe; i += unrolled {
		block := unsafe.Add(base, i)
		zeros := archsimd.LoadUint8x32Array((*[32]uint8)(block)).
			Min(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(block, 32)))).
			Min(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(block, 64))).
				Min(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(block, 96))))).Equal(zero)
		m0 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i))).And(mask2).Equal(value2))
		m1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i+32))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i+32))).And(mask2).Equal(value2))
		m2 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i+64))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i+64))).And(mask2).Equal(value2))
		m3 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i+96))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i+96))).And(mask2).Equal(value2))
		if m0.Or(m1).Or(m2.Or(m3)).Or(zeros).ToBits() == 0 {
			continue
		}
		third := unsafe.Add(block, doubt)
		m0 = m0.And(archsimd.LoadUint8x32Array((*[32]uint8)(third)).And(mask3).Equal(value3))
		m1 = m1.And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(third, 32))).And(mask3).Equal(value3))
		m2 = m2.And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(third, 64))).And(mask3).Equal(value3))
		m3 = m3.And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(third, 96))).And(mask3).Equal(value3))
		if m0.Or(m1).Or(m2.Or(m3)).Or(zeros).ToBits() != 0 {
			break
		}
	}
	archsimd.ClearAVXUpperBits()
	return i
}
