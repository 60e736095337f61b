//go:build goexperiment.simd && amd64

package pattern

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// listAVX2 tests 256 starting places per iteration. See countState.
func listAVX2(p *Pattern, b []byte, t *countState) (listed int) {
	const starts = listStarts
	first, second := p.first, p.second
	value1, value2 := archsimd.BroadcastUint8x32(first.value), archsimd.BroadcastUint8x32(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x32(first.mask), archsimd.BroadcastUint8x32(second.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	rare, next := unsafe.Add(base, first.off), unsafe.Add(base, second.off)
	i := t.next
	for ; i <= t.limit && listed <= listMax-4; i += starts {
		low0 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i))).And(mask2).Equal(value2)).ToBits()
		high0 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i+32))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i+32))).And(mask2).Equal(value2)).ToBits()
		low1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i+64))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i+64))).And(mask2).Equal(value2)).ToBits()
		high1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i+96))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i+96))).And(mask2).Equal(value2)).ToBits()
		low2 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i+128))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i+128))).And(mask2).Equal(value2)).ToBits()
		high2 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i+160))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i+160))).And(mask2).Equal(value2)).ToBits()
		low3 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i+192))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i+192))).And(mask2).Equal(value2)).ToBits()
		high3 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i+224))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i+224))).And(mask2).Equal(value2)).ToBits()
		k0 := uint64(low0) | uint64(high0)<<32
		k1 := uint64(low1) | uint64(high1)<<32
		k2 := uint64(low2) | uint64(high2)<<32
		k3 := uint64(low3) | uint64(high3)<<32
		if k0|k1|k2|k3 == 0 {
			continue
		}
		t.list[listed] = candidates{k0, i}
		listed += some(k0)
		t.list[listed] = candidates{k1, i + 64}
		listed += some(k1)
		t.list[listed] = candidates{k2, i + 128}
		listed += some(k2)
		t.list[listed] = candidates{k3, i + 192}
		listed += some(k3)
	}
	t.next = i
	archsimd.ClearAVXUpperBits()
	return listed
}

// countPairAVX2 counts if a match of the pair is a match of the pattern: 128 places per iteration,
// then 32; the last of these overlap those before them. b has at least 32.
func countPairAVX2(p *Pattern, b []byte) (n, last int) {
	const starts, unrolled = 32, 128
	places := len(b) - len(p.value) + 1
	first, second := p.first, p.second
	value1, value2 := archsimd.BroadcastUint8x32(first.value), archsimd.BroadcastUint8x32(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x32(first.mask), archsimd.BroadcastUint8x32(second.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	rare, next := unsafe.Add(base, first.off), unsafe.Add(base, second.off)
	block, i := 0, 0
	var low, high uint64 // of the last block that has a match
	for ; i+unrolled <= places; i += unrolled {
		k0 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i))).And(mask2).Equal(value2)).ToBits()
		k1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i+32))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i+32))).And(mask2).Equal(value2)).ToBits()
		k2 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i+64))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i+64))).And(mask2).Equal(value2)).ToBits()
		k3 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i+96))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i+96))).And(mask2).Equal(value2)).ToBits()
		if l, h := uint64(k0)|uint64(k1)<<32, uint64(k2)|uint64(k3)<<32; l|h != 0 {
			n += bits.OnesCount64(l) + bits.OnesCount64(h)
			block, low, high = i, l, h
		}
	}
	switch {
	case high != 0:
		last = block + 64 + bits.Len64(high) - 1
	case low != 0:
		last = block + bits.Len64(low) - 1
	}
	for ; i < places; i += starts {
		seen := max(0, i-(places-starts)) // places that were already counted
		at := i - seen
		k := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, at))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, at))).And(mask2).Equal(value2)).ToBits()
		if k >>= seen; k != 0 {
			n, last = n+bits.OnesCount32(k), i+bits.Len32(k)-1
		}
	}
	archsimd.ClearAVXUpperBits()
	return n, last
}

// hitsAVX2 does what Pattern.hits does, with the probe alone. It is for patterns no longer than a
// probe, for which a miss costs no more than a match. b holds a probe after each place.
func hitsAVX2(p *Pattern, b []byte, list []candidates) (n, last int) {
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
			last = max(last, at&-fits) // 0 is never above a match
			c.mask &= c.mask - 1
			list[kept] = c
			kept += some(c.mask)
		}
		list = list[:kept]
	}
	archsimd.ClearAVXUpperBits()
	return n, last
}
