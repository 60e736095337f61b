//go:build goexperiment.simd && amd64

package pattern

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// countAVX2 looks at 256 starting places an iteration; what is left is searched. See count.go.
func countAVX2(p *Pattern, b []byte) (n, last int) {
	const starts = 256
	if p.pairIsAll() {
		return countPairAVX2(p, b)
	}
	first, second := p.pair()
	value1, value2 := archsimd.BroadcastUint8x32(first.value), archsimd.BroadcastUint8x32(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x32(first.mask), archsimd.BroadcastUint8x32(second.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	limit := len(b) - starts - max(len(p.value), probeBytes) // of the start of a block
	if limit < 0 {
		return p.countRest(indexAVX2, b, 0, 0, 0)
	}
	var list [listMax]candidates
	listed, failures, i := 0, 0, 0
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
		list[listed] = candidates{k0, i}
		listed += some(k0)
		list[listed] = candidates{k1, i + 64}
		listed += some(k1)
		list[listed] = candidates{k2, i + 128}
		listed += some(k2)
		list[listed] = candidates{k3, i + 192}
		listed += some(k3)
		if listed > listMax-4 {
			hits, misses, at := hitsAVX2(p, b, list[:listed])
			if listed, n, last = 0, n+hits, max(last, at); misses == 0 {
				continue
			}
			if failures += misses; p.exhausted(failures, i) {
				archsimd.ClearAVXUpperBits()
				return p.countRest(indexLinear, b, i+starts, n, last)
			}
		}
	}
	hits, _, at := hitsAVX2(p, b, list[:listed])
	n, last = n+hits, max(last, at)
	archsimd.ClearAVXUpperBits()
	return p.countRest(indexAVX2, b, i, n, last)
}

// countPairAVX2 counts where what fits the pair fits the pattern: 128 places an iteration,
// then 32, the last of which overlap those before them.
func countPairAVX2(p *Pattern, b []byte) (n, last int) {
	const starts, unrolled = 32, 128
	places := len(b) - len(p.value) + 1
	if places < starts {
		return countPlain(p, b)
	}
	first, second := p.pair()
	value1, value2 := archsimd.BroadcastUint8x32(first.value), archsimd.BroadcastUint8x32(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x32(first.mask), archsimd.BroadcastUint8x32(second.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	block, i := 0, 0
	var masks [2]uint64 // of the last block that has a hit
	for ; i+unrolled <= places; i += unrolled {
		rare, next := unsafe.Add(base, i+first.off), unsafe.Add(base, i+second.off)
		k0 := archsimd.LoadUint8x32Array((*[32]uint8)(rare)).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x32Array((*[32]uint8)(next)).And(mask2).Equal(value2).ToBits()
		k1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, 32))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, 32))).And(mask2).Equal(value2).ToBits()
		k2 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, 64))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, 64))).And(mask2).Equal(value2).ToBits()
		k3 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, 96))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, 96))).And(mask2).Equal(value2).ToBits()
		if low, high := uint64(k0)|uint64(k1)<<32, uint64(k2)|uint64(k3)<<32; low|high != 0 {
			n += bits.OnesCount64(low) + bits.OnesCount64(high)
			block, masks = i, [2]uint64{low, high}
		}
	}
	for word, mask := range masks {
		if mask != 0 {
			last = block + 64*word + bits.Len64(mask) - 1
		}
	}
	for ; i < places; i += starts {
		seen := max(0, i-(places-starts)) // places that were counted before
		rare, next := unsafe.Add(base, i-seen+first.off), unsafe.Add(base, i-seen+second.off)
		k := archsimd.LoadUint8x32Array((*[32]uint8)(rare)).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x32Array((*[32]uint8)(next)).And(mask2).Equal(value2).ToBits()
		if k >>= seen; k != 0 {
			n, last = n+bits.OnesCount32(k), i+bits.Len32(k)-1
		}
	}
	archsimd.ClearAVXUpperBits()
	return n, last
}

// hitsAVX2 does what Pattern.hits does, with a probe where that is all, and serves AVX-512
// as well. Such failures cost no more than other places, and are not counted. Behind each
// place b holds a probe.
func hitsAVX2(p *Pattern, b []byte, list []candidates) (n, failures, last int) {
	if len(p.value) > probeBytes {
		return p.hits(b, list)
	}
	value := archsimd.LoadUint8x32Array(&p.probe.value)
	mask := archsimd.LoadUint8x32Array(&p.probe.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	for len(list) > 0 {
		kept := 0
		for _, c := range list {
			at := c.place + bits.TrailingZeros64(c.mask)
			v := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(base, at)))
			fits := some(uint64(^v.And(mask).Equal(value).ToBits())) ^ 1
			n += fits
			last = max(last, at&-fits) // 0 is never above a hit
			c.mask &= c.mask - 1
			list[kept] = c
			kept += some(c.mask)
		}
		list = list[:kept]
	}
	return n, 0, last
}
