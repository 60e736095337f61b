//go:build goexperiment.simd && arm64

package pattern

import (
	"simd/archsimd"
	"unsafe"
)

// seekNEON tests 64 starting places per iteration. NEON does not turn a mask into bits: a block
// that has a candidate is searched place by place. See Seeker.
func seekNEON(p *Pattern, b []byte, from, doubt int) (at, refuted int) {
	const starts, unrolled = 16, 64
	first, second := p.first, p.second
	limit := len(b) - starts - p.reach // of the start of a block
	value1, value2 := archsimd.BroadcastUint8x16(first.value), archsimd.BroadcastUint8x16(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x16(first.mask), archsimd.BroadcastUint8x16(second.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := from; i <= len(b)-len(p.value); {
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
		end := min(i+unrolled, len(b)-len(p.value)+1)
		for at := max(i, from); at < end; at++ { // a last block may begin before from
			rare, next := *(*byte)(unsafe.Add(base, at+first.off)), *(*byte)(unsafe.Add(base, at+second.off))
			if rare&first.mask != first.value || next&second.mask != second.value {
				continue
			}
			if at+halfProbe > len(b) || probedNEON(p, unsafe.Add(base, at)) {
				return at, doubt
			}
		}
		i += unrolled
	}
	return -1, doubt
}

// probedNEON compares half a probe.
func probedNEON(p *Pattern, base unsafe.Pointer) bool {
	value := archsimd.LoadUint8x16Array((*[halfProbe]uint8)(p.probe.value[:]))
	mask := archsimd.LoadUint8x16Array((*[halfProbe]uint8)(p.probe.mask[:]))
	v := archsimd.LoadUint8x16Array((*[halfProbe]uint8)(base))
	return v.And(mask).Xor(value).ReshapeToUint32s().ReduceMax() == 0
}

func anyNEON(m archsimd.Mask8x16) bool { return m.ToInt8x16().ToBits().ReduceMax() != 0 }

func clearNEON() {}
