//go:build goexperiment.simd && amd64

package pattern

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// seekAVX2 tests 128 starting places per iteration. See Seeker.
func seekAVX2(p *Pattern, b []byte, from int) int {
	const starts, unrolled = 32, 128
	first, second, exact := p.first, p.second, p.exact
	limit := len(b) - starts - p.reach // of the start of a block
	value1, value2 := archsimd.BroadcastUint8x32(first.value), archsimd.BroadcastUint8x32(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x32(first.mask), archsimd.BroadcastUint8x32(second.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	rare, next := unsafe.Add(base, first.off), unsafe.Add(base, second.off)
	found := -1
search:
	for i := from; i <= len(b)-len(p.value); {
		for ; i+unrolled-starts <= limit; i += unrolled {
			r, n := unsafe.Add(rare, i), unsafe.Add(next, i)
			var m0, m1, m2, m3 archsimd.Mask8x32
			if exact {
				m0 = archsimd.LoadUint8x32Array((*[32]uint8)(r)).Equal(value1).
					And(archsimd.LoadUint8x32Array((*[32]uint8)(n)).Equal(value2))
				m1 = archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(r, 32))).Equal(value1).
					And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(n, 32))).Equal(value2))
				m2 = archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(r, 64))).Equal(value1).
					And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(n, 64))).Equal(value2))
				m3 = archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(r, 96))).Equal(value1).
					And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(n, 96))).Equal(value2))
			} else {
				m0 = archsimd.LoadUint8x32Array((*[32]uint8)(r)).And(mask1).Equal(value1).
					And(archsimd.LoadUint8x32Array((*[32]uint8)(n)).And(mask2).Equal(value2))
				m1 = archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(r, 32))).And(mask1).Equal(value1).
					And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(n, 32))).And(mask2).Equal(value2))
				m2 = archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(r, 64))).And(mask1).Equal(value1).
					And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(n, 64))).And(mask2).Equal(value2))
				m3 = archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(r, 96))).And(mask1).Equal(value1).
					And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(n, 96))).And(mask2).Equal(value2))
			}
			if m0.Or(m1).Or(m2.Or(m3)).ToBits() != 0 {
				if m0.ToBits() == 0 { // continue at the block that has the candidate
					i += starts
					if m1.ToBits() == 0 {
						i += starts
						if m2.ToBits() == 0 {
							i += starts
						}
					}
				}
				break
			}
		}
		i = min(i, limit)
		k := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i))).And(mask2).Equal(value2)).ToBits()
		if k != 0 {
			k &= ^uint32(0) << max(0, from-i) // a last block may begin before from
			if i+len(p.value)+starts <= len(b) {
				k = narrowAVX2(p, unsafe.Add(base, i), k)
			}
			for ; k != 0; k &= k - 1 {
				at := i + bits.TrailingZeros32(k)
				if at+len(p.value) > len(b) {
					break
				}
				if at+probeBytes > len(b) || probedAVX2(p, unsafe.Add(base, at)) {
					found = at
					break search
				}
			}
		}
		i += starts
	}
	archsimd.ClearAVXUpperBits()
	return found
}

// probedAVX2 compares the probe, and serves AVX-512 as well.
func probedAVX2(p *Pattern, base unsafe.Pointer) bool {
	value, mask := archsimd.LoadUint8x32Array(&p.probe.value), archsimd.LoadUint8x32Array(&p.probe.mask)
	v := archsimd.LoadUint8x32Array((*[probeBytes]uint8)(base))
	return ^v.And(mask).Equal(value).ToBits() == 0
}

// narrowAVX2 compares further positions for the 32 starts at once, until few candidates are left.
// All loads must lie inside the slice.
func narrowAVX2(p *Pattern, base unsafe.Pointer, k uint32) uint32 {
	for _, pos := range p.order[min(2, len(p.order)):] {
		if k&(k-1) == 0 { // one candidate or none
			break
		}
		v := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(base, pos.off)))
		k &= v.And(archsimd.BroadcastUint8x32(pos.mask)).Equal(archsimd.BroadcastUint8x32(pos.value)).ToBits()
	}
	return k
}
