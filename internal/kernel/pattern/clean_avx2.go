//go:build goexperiment.simd && amd64

package pattern

import (
	"simd/archsimd"
	"unsafe"
)

// sieveAVX2 tests four vectors of places per iteration. See Sieve.
//
//gen:also sieveNEON
func sieveAVX2(p *Pattern, b []byte, from, doubt int) int {
	const unrolled = 4 * bytesAVX2
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
			Min(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(block, bytesAVX2)))).
			Min(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(block, 2*bytesAVX2))).
				Min(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(block, 3*bytesAVX2))))).Equal(zero)
		r, n := unsafe.Add(rare, i), unsafe.Add(next, i)
		m0 := archsimd.LoadUint8x32Array((*[32]uint8)(r)).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(n)).And(mask2).Equal(value2))
		m1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(r, bytesAVX2))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(n, bytesAVX2))).And(mask2).Equal(value2))
		m2 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(r, 2*bytesAVX2))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(n, 2*bytesAVX2))).And(mask2).Equal(value2))
		m3 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(r, 3*bytesAVX2))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(n, 3*bytesAVX2))).And(mask2).Equal(value2))
		if !anyAVX2(m0.Or(m1).Or(m2.Or(m3)).Or(zeros)) {
			continue
		}
		third := unsafe.Add(block, doubt)
		m0 = m0.And(archsimd.LoadUint8x32Array((*[32]uint8)(third)).And(mask3).Equal(value3))
		m1 = m1.And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(third, bytesAVX2))).And(mask3).Equal(value3))
		m2 = m2.And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(third, 2*bytesAVX2))).And(mask3).Equal(value3))
		m3 = m3.And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(third, 3*bytesAVX2))).And(mask3).Equal(value3))
		if anyAVX2(m0.Or(m1).Or(m2.Or(m3)).Or(zeros)) {
			break
		}
	}
	clearAVX2()
	return i
}

func anyAVX2(m archsimd.Mask8x32) bool { return m.ToBits() != 0 }

func clearAVX2() { archsimd.ClearAVXUpperBits() }
