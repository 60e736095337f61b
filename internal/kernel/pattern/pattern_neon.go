//go:build goexperiment.simd && arm64

package pattern

import (
	"simd/archsimd"
	"unsafe"
)

// indexNEON looks at 64 starting places an iteration. NEON turns no mask into bits: a
// block that has a candidate is looked through place by place. See pattern.go.
func indexNEON(p *Pattern, b []byte) int {
	const starts, unrolled = 16, 64
	first, second := p.pair()
	limit := len(b) - starts - max(first.off, second.off) // of the start of a block
	if limit < 0 {
		return indexPlain(p, b)
	}
	value1, value2 := archsimd.BroadcastUint8x16(first.value), archsimd.BroadcastUint8x16(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x16(first.mask), archsimd.BroadcastUint8x16(second.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	failures := 0
	for i := 0; i <= len(b)-len(p.value); {
		for ; i+unrolled-starts <= limit; i += unrolled {
			one, two := unsafe.Add(base, i+first.off), unsafe.Add(base, i+second.off)
			k0 := archsimd.LoadUint8x16Array((*[16]uint8)(one)).And(mask1).Equal(value1).
				And(archsimd.LoadUint8x16Array((*[16]uint8)(two)).And(mask2).Equal(value2))
			k1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(one, 16))).And(mask1).Equal(value1).
				And(archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(two, 16))).And(mask2).Equal(value2))
			k2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(one, 32))).And(mask1).Equal(value1).
				And(archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(two, 32))).And(mask2).Equal(value2))
			k3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(one, 48))).And(mask1).Equal(value1).
				And(archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(two, 48))).And(mask2).Equal(value2))
			if k0.Or(k1).Or(k2.Or(k3)).ToInt8x16().ToBits().ReduceMax() != 0 {
				break
			}
		}
		i = min(i, limit)
		for at := i; at < i+min(unrolled, len(b)) && at+len(p.value) <= len(b); at++ {
			if b[at+first.off]&first.mask != first.value || b[at+second.off]&second.mask != second.value {
				continue
			}
			if p.matches(b[at:]) {
				return at
			}
			failures++
		}
		if p.exhausted(failures, i) {
			return p.rest(b, i)
		}
		i += unrolled
	}
	return -1
}
