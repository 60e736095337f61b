//go:build goexperiment.simd && amd64

package pattern

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// countAVX512 looks at 256 starting places an iteration; what is left is searched. See count.go.
func countAVX512(p *Pattern, b []byte) (n, last int) {
	const starts = 256
	first, second := p.pair()
	value1, value2 := archsimd.BroadcastUint8x64(first.value), archsimd.BroadcastUint8x64(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x64(first.mask), archsimd.BroadcastUint8x64(second.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	limit := len(b) - starts - max(len(p.value), probeBytes) // of the start of a block
	block, failures, i := -1, 0, 0
	pairIsAll := p.pairIsAll()
	for ; i <= limit; i += starts {
		rare, next := unsafe.Add(base, i+first.off), unsafe.Add(base, i+second.off)
		k0 := archsimd.LoadUint8x64Array((*[64]uint8)(rare)).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(next)).And(mask2).Equal(value2).ToBits()
		k1 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, 64))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, 64))).And(mask2).Equal(value2).ToBits()
		k2 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, 128))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, 128))).And(mask2).Equal(value2).ToBits()
		k3 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, 192))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, 192))).And(mask2).Equal(value2).ToBits()
		if k0|k1|k2|k3 == 0 {
			continue
		}
		if pairIsAll {
			n += bits.OnesCount64(k0) + bits.OnesCount64(k1) + bits.OnesCount64(k2) + bits.OnesCount64(k3)
			block = i
			continue
		}
		hits, misses := hitsAVX2(p, b[i:], k0, k1, k2, k3)
		if hits > 0 {
			n, block = n+hits, i
		}
		if failures += misses; misses > 0 && p.exhausted(failures, i) {
			archsimd.ClearAVXUpperBits()
			return p.countRest(indexLinear, b, i+starts, n, p.lastBefore(b, block, starts))
		}
	}
	archsimd.ClearAVXUpperBits()
	return p.countRest(indexAVX512, b, i, n, p.lastBefore(b, block, starts))
}
