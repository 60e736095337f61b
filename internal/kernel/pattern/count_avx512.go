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
	if p.pairIsAll() {
		return countPairAVX512(p, b)
	}
	first, second := p.pair()
	value1, value2 := archsimd.BroadcastUint8x64(first.value), archsimd.BroadcastUint8x64(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x64(first.mask), archsimd.BroadcastUint8x64(second.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	limit := len(b) - starts - max(len(p.value), probeBytes) // of the start of a block
	if limit < 0 {
		return p.countRest(indexAVX512, b, 0, 0, 0)
	}
	var list [listMax]candidates
	listed, failures, i := 0, 0, 0
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
	return p.countRest(indexAVX512, b, i, n, last)
}

// countPairAVX512 counts where what fits the pair fits the pattern: 256 places an iteration,
// then 64, the last of which overlap those before them.
func countPairAVX512(p *Pattern, b []byte) (n, last int) {
	const starts, unrolled = 64, 256
	places := len(b) - len(p.value) + 1
	if places < starts {
		return countPlain(p, b)
	}
	first, second := p.pair()
	value1, value2 := archsimd.BroadcastUint8x64(first.value), archsimd.BroadcastUint8x64(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x64(first.mask), archsimd.BroadcastUint8x64(second.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	block, i := 0, 0
	var masks [4]uint64 // of the last block that has a hit
	for ; i+unrolled <= places; i += unrolled {
		rare, next := unsafe.Add(base, i+first.off), unsafe.Add(base, i+second.off)
		k0 := archsimd.LoadUint8x64Array((*[64]uint8)(rare)).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(next)).And(mask2).Equal(value2).ToBits()
		k1 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, 64))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, 64))).And(mask2).Equal(value2).ToBits()
		k2 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, 128))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, 128))).And(mask2).Equal(value2).ToBits()
		k3 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, 192))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, 192))).And(mask2).Equal(value2).ToBits()
		if k0|k1|k2|k3 != 0 {
			n += bits.OnesCount64(k0) + bits.OnesCount64(k1) + bits.OnesCount64(k2) + bits.OnesCount64(k3)
			block, masks = i, [4]uint64{k0, k1, k2, k3}
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
		k := archsimd.LoadUint8x64Array((*[64]uint8)(rare)).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(next)).And(mask2).Equal(value2).ToBits()
		if k >>= seen; k != 0 {
			n, last = n+bits.OnesCount64(k), i+bits.Len64(k)-1
		}
	}
	archsimd.ClearAVXUpperBits()
	return n, last
}
