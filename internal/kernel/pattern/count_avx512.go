//go:build goexperiment.simd && amd64

package pattern

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// listAVX512 tests 256 starting places per iteration. See countState.
func listAVX512(p *Pattern, b []byte, t *countState) (listed int) {
	const starts = listStarts
	first, second := p.first, p.second
	value1, value2 := archsimd.BroadcastUint8x64(first.value), archsimd.BroadcastUint8x64(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x64(first.mask), archsimd.BroadcastUint8x64(second.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	rare, next := unsafe.Add(base, first.off), unsafe.Add(base, second.off)
	i := t.next
	for ; i <= t.limit && listed <= listMax-4; i += starts {
		k0 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i))).And(mask2).Equal(value2).ToBits()
		k1 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i+64))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i+64))).And(mask2).Equal(value2).ToBits()
		k2 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i+128))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i+128))).And(mask2).Equal(value2).ToBits()
		k3 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i+192))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i+192))).And(mask2).Equal(value2).ToBits()
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

// countPairAVX512 counts if a match of the pair is a match of the pattern: 256 places per
// iteration, then 64; the last of these overlap those before them. b has at least 64.
func countPairAVX512(p *Pattern, b []byte) (n, last int) {
	const starts, unrolled = 64, 256
	places := len(b) - len(p.value) + 1
	first, second := p.first, p.second
	value1, value2 := archsimd.BroadcastUint8x64(first.value), archsimd.BroadcastUint8x64(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x64(first.mask), archsimd.BroadcastUint8x64(second.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	rare, next := unsafe.Add(base, first.off), unsafe.Add(base, second.off)
	block, i := 0, 0
	var m0, m1, m2, m3 uint64 // of the last block that has a match
	for ; i+unrolled <= places; i += unrolled {
		k0 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i))).And(mask2).Equal(value2).ToBits()
		k1 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i+64))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i+64))).And(mask2).Equal(value2).ToBits()
		k2 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i+128))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i+128))).And(mask2).Equal(value2).ToBits()
		k3 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i+192))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i+192))).And(mask2).Equal(value2).ToBits()
		if k0|k1|k2|k3 != 0 {
			n += bits.OnesCount64(k0) + bits.OnesCount64(k1) + bits.OnesCount64(k2) + bits.OnesCount64(k3)
			block, m0, m1, m2, m3 = i, k0, k1, k2, k3
		}
	}
	switch {
	case m3 != 0:
		last = block + 192 + bits.Len64(m3) - 1
	case m2 != 0:
		last = block + 128 + bits.Len64(m2) - 1
	case m1 != 0:
		last = block + 64 + bits.Len64(m1) - 1
	case m0 != 0:
		last = block + bits.Len64(m0) - 1
	}
	for ; i < places; i += starts {
		seen := max(0, i-(places-starts)) // places that were already counted
		at := i - seen
		k := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, at))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, at))).And(mask2).Equal(value2).ToBits()
		if k >>= seen; k != 0 {
			n, last = n+bits.OnesCount64(k), i+bits.Len64(k)-1
		}
	}
	archsimd.ClearAVXUpperBits()
	return n, last
}
