//go:build goexperiment.simd && arm64

package pattern

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// listNEON tests 64 starting places per iteration. NEON does not turn a comparison into bits: each
// byte keeps its own bit of it, and three additions of neighbours put eight bytes into one. If the
// pair is the whole pattern, it counts at once. See countState.
func listNEON(p *Pattern, b []byte, t *countState) (listed int) {
	const starts = listStarts
	first, second := p.first, p.second
	value1, value2 := archsimd.BroadcastUint8x16(first.value), archsimd.BroadcastUint8x16(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x16(first.mask), archsimd.BroadcastUint8x16(second.mask)
	bit := archsimd.LoadUint8x16Array(&bitOfByte)
	base := unsafe.Pointer(unsafe.SliceData(b))
	i, pairIsAll := t.next, p.pairIsAll()
	for ; i <= t.limit && listed < listMax; i += starts {
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
			t.n, t.last = t.n+bits.OnesCount64(k), i+bits.Len64(k)-1
			continue
		}
		t.list[listed] = candidates{k, i}
		listed++
	}
	t.next = i
	return listed
}

// hitsNEON does what hitsAVX2 does, with half a probe, for patterns no longer than that.
func hitsNEON(p *Pattern, b []byte, list []candidates) (n, last int) {
	value := archsimd.LoadUint8x16Array((*[halfProbe]uint8)(p.probe.value[:]))
	mask := archsimd.LoadUint8x16Array((*[halfProbe]uint8)(p.probe.mask[:]))
	base := unsafe.Pointer(unsafe.SliceData(b))
	for len(list) > 0 {
		kept := 0
		for _, c := range list {
			at := c.place + bits.TrailingZeros64(c.mask)
			v := archsimd.LoadUint8x16Array((*[halfProbe]uint8)(unsafe.Add(base, at)))
			fits := some(uint64(v.And(mask).Xor(value).ReshapeToUint32s().ReduceMax())) ^ 1
			n += fits
			last = max(last, at&-fits) // 0 is never above a match
			c.mask &= c.mask - 1
			list[kept] = c
			kept += some(c.mask)
		}
		list = list[:kept]
	}
	return n, last
}
