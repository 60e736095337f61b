//go:build goexperiment.simd && amd64

package pattern

import (
	"math"
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// countAVX2 looks at 256 starting places an iteration; what is left is searched. See count.go.
func countAVX2(p *Pattern, b []byte) (n, last int) {
	const starts = 256
	first, second := p.pair()
	value1, value2 := archsimd.BroadcastUint8x32(first.value), archsimd.BroadcastUint8x32(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x32(first.mask), archsimd.BroadcastUint8x32(second.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	limit := len(b) - starts - max(len(p.value), probeBytes) // of the start of a block
	block, failures, i := -1, 0, 0
	pairIsAll := p.pairIsAll()
	for ; i <= limit; i += starts {
		rare, next := unsafe.Add(base, i+first.off), unsafe.Add(base, i+second.off)
		low0 := archsimd.LoadUint8x32Array((*[32]uint8)(rare)).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x32Array((*[32]uint8)(next)).And(mask2).Equal(value2).ToBits()
		high0 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, 32))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, 32))).And(mask2).Equal(value2).ToBits()
		low1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, 64))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, 64))).And(mask2).Equal(value2).ToBits()
		high1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, 96))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, 96))).And(mask2).Equal(value2).ToBits()
		low2 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, 128))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, 128))).And(mask2).Equal(value2).ToBits()
		high2 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, 160))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, 160))).And(mask2).Equal(value2).ToBits()
		low3 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, 192))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, 192))).And(mask2).Equal(value2).ToBits()
		high3 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, 224))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, 224))).And(mask2).Equal(value2).ToBits()
		k0 := uint64(low0) | uint64(high0)<<32
		k1 := uint64(low1) | uint64(high1)<<32
		k2 := uint64(low2) | uint64(high2)<<32
		k3 := uint64(low3) | uint64(high3)<<32
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
	return p.countRest(indexAVX2, b, i, n, p.lastBefore(b, block, starts))
}

// hitsAVX2 returns how many candidates of a block are occurrences, and how many begin like
// one but are none. A bit of the masks is a candidate for a place, from the start of b on.
// Behind the last place b holds a probe and a pattern. AVX-512 has no better way.
func hitsAVX2(p *Pattern, b []byte, k0, k1, k2, k3 uint64) (n, failures int) {
	value := archsimd.LoadUint8x32Array(&p.probe.value)
	mask := archsimd.LoadUint8x32Array(&p.probe.mask)
	base, long := unsafe.Pointer(unsafe.SliceData(b)), len(p.value) > probeBytes
	for i, k := range [4]uint64{k0, k1, k2, k3} {
		for ; k != 0; k &= k - 1 {
			at := 64*i + bits.TrailingZeros64(k)
			v := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(base, at)))
			if v.And(mask).Equal(value).ToBits() != math.MaxUint32 {
				continue
			}
			n++
			if long && !p.matches(b[at:]) {
				n, failures = n-1, failures+1
			}
		}
	}
	return n, failures
}
