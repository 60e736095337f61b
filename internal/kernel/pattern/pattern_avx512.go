//go:build goexperiment.simd && amd64

package pattern

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// seekAVX512 tests 256 starting places per iteration. See Seeker.
func seekAVX512(p *Pattern, b []byte, from int) int {
	const starts, unrolled = 64, 256
	first, second := p.first, p.second
	limit := len(b) - starts - p.reach // of the start of a block
	value1, value2 := archsimd.BroadcastUint8x64(first.value), archsimd.BroadcastUint8x64(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x64(first.mask), archsimd.BroadcastUint8x64(second.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	rare, next := unsafe.Add(base, first.off), unsafe.Add(base, second.off)
	found := -1
search:
	for i := from; i <= len(b)-len(p.value); {
		for ; i+unrolled-starts <= limit; i += unrolled {
			k0 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i))).And(mask1).Equal(value1).ToBits() &
				archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i))).And(mask2).Equal(value2).ToBits()
			k1 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i+64))).And(mask1).Equal(value1).ToBits() &
				archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i+64))).And(mask2).Equal(value2).ToBits()
			k2 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i+128))).And(mask1).Equal(value1).ToBits() &
				archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i+128))).And(mask2).Equal(value2).ToBits()
			k3 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i+192))).And(mask1).Equal(value1).ToBits() &
				archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i+192))).And(mask2).Equal(value2).ToBits()
			if k0|k1|k2|k3 != 0 {
				if k0 == 0 { // continue at the block that has the candidate
					i += starts
					if k1 == 0 {
						i += starts
						if k2 == 0 {
							i += starts
						}
					}
				}
				break
			}
		}
		i = min(i, limit)
		k := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i))).And(mask2).Equal(value2).ToBits()
		if k != 0 {
			k &= ^uint64(0) << max(0, from-i) // a last block may begin before from
			if i+len(p.value)+starts <= len(b) {
				k = narrowAVX512(p, unsafe.Add(base, i), k)
			}
			for ; k != 0; k &= k - 1 {
				at := i + bits.TrailingZeros64(k)
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

// narrowAVX512 compares further positions for the 64 starts at once, until few candidates
// are left. All loads must lie inside the slice.
func narrowAVX512(p *Pattern, base unsafe.Pointer, k uint64) uint64 {
	for _, pos := range p.order[min(2, len(p.order)):] {
		if k&(k-1) == 0 { // one candidate or none
			break
		}
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, pos.off)))
		k &= v.And(archsimd.BroadcastUint8x64(pos.mask)).Equal(archsimd.BroadcastUint8x64(pos.value)).ToBits()
	}
	return k
}
