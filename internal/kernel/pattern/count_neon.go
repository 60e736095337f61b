//go:build goexperiment.simd && arm64

package pattern

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// bitOfByte has in each byte of a vector the bit that stands for it in a mask.
var bitOfByte = [16]uint8{1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128}

// countNEON looks at 64 starting places an iteration; what is left is searched. NEON turns
// no compare into bits: each byte keeps its own bit of it, and three additions of
// neighbours put eight bytes into one. See count.go.
func countNEON(p *Pattern, b []byte) (n, last int) {
	const starts = 64
	first, second := p.pair()
	value1, value2 := archsimd.BroadcastUint8x16(first.value), archsimd.BroadcastUint8x16(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x16(first.mask), archsimd.BroadcastUint8x16(second.mask)
	bit := archsimd.LoadUint8x16Array(&bitOfByte)
	base := unsafe.Pointer(unsafe.SliceData(b))
	limit := len(b) - starts - max(len(p.value), probeBytes) // of the start of a block
	block, failures, i := -1, 0, 0
	pairIsAll := p.pairIsAll()
	for ; i <= limit; i += starts {
		rare, next := unsafe.Add(base, i+first.off), unsafe.Add(base, i+second.off)
		v0 := archsimd.LoadUint8x16Array((*[16]uint8)(rare)).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x16Array((*[16]uint8)(next)).And(mask2).Equal(value2)).ToInt8x16().ToBits()
		v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(rare, 16))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(next, 16))).And(mask2).Equal(value2)).ToInt8x16().ToBits()
		v2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(rare, 32))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(next, 32))).And(mask2).Equal(value2)).ToInt8x16().ToBits()
		v3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(rare, 48))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(next, 48))).And(mask2).Equal(value2)).ToInt8x16().ToBits()
		if v0.Or(v1).Or(v2.Or(v3)).ReshapeToUint32s().ReduceMax() == 0 {
			continue
		}
		v0, v1, v2, v3 = v0.And(bit), v1.And(bit), v2.And(bit), v3.And(bit)
		v0, v2 = v0.ConcatEven(v1).Add(v0.ConcatOdd(v1)), v2.ConcatEven(v3).Add(v2.ConcatOdd(v3))
		v0 = v0.ConcatEven(v2).Add(v0.ConcatOdd(v2))
		v0 = v0.ConcatEven(v0).Add(v0.ConcatOdd(v0))
		k := v0.ReshapeToUint64s().GetElem(0)
		if pairIsAll {
			n, block = n+bits.OnesCount64(k), i
			continue
		}
		hits, misses := hitsNEON(p, b[i:], k)
		if hits > 0 {
			n, block = n+hits, i
		}
		if failures += misses; misses > 0 && p.exhausted(failures, i) {
			return p.countRest(indexLinear, b, i+starts, n, p.lastBefore(b, block, starts))
		}
	}
	return p.countRest(indexNEON, b, i, n, p.lastBefore(b, block, starts))
}

// hitsNEON does what hitsAVX2 does, for one mask and half a probe.
func hitsNEON(p *Pattern, b []byte, k uint64) (n, failures int) {
	const half = probeBytes / 2
	value := archsimd.LoadUint8x16Array((*[half]uint8)(p.probe.value[:]))
	mask := archsimd.LoadUint8x16Array((*[half]uint8)(p.probe.mask[:]))
	base, long := unsafe.Pointer(unsafe.SliceData(b)), len(p.value) > half
	for ; k != 0; k &= k - 1 {
		at := bits.TrailingZeros64(k)
		v := archsimd.LoadUint8x16Array((*[half]uint8)(unsafe.Add(base, at)))
		if v.And(mask).Xor(value).ReshapeToUint32s().ReduceMax() != 0 {
			continue
		}
		n++
		if long && !p.matches(b[at:]) {
			n, failures = n-1, failures+1
		}
	}
	return n, failures
}
