//go:build goexperiment.simd && arm64

package compare

import (
	"simd/archsimd"
	"unsafe"
)

// index32NEON stops at the first block of four vectors that holds a value on the arc, and the plain
// variant finds it there: NEON has no short way from a mask to an index.
//
//gen:also index8NEON index16NEON index64NEON
func index32NEON(b []byte, a *arc, stride int) (i int, found bool) {
	low, span := archsimd.BroadcastUint32x4(uint32(a.low)), archsimd.BroadcastUint32x4(uint32(a.span))
	magnitude := archsimd.BroadcastUint32x4(^uint32(0) >> 1)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[log32][:])).ToBits()
	between := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Pointer(gaps(width32, stride))))
	swap, float, sparse := a.typ.bigEndian, a.typ.Float(), stride > width32
	base, n := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	for ; i+64 <= n; i += 64 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint32x4Array((*[4]uint32)(p))
		v1 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 16)))
		v2 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 32)))
		v3 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 48)))
		if swap {
			v0, v1 = swap32NEON(v0, swapped), swap32NEON(v1, swapped)
			v2, v3 = swap32NEON(v2, swapped), swap32NEON(v3, swapped)
		}
		if float {
			v0 = key32NEON(v0, magnitude)
			v1 = key32NEON(v1, magnitude)
			v2 = key32NEON(v2, magnitude)
			v3 = key32NEON(v3, magnitude)
		}
		v0, v1, v2, v3 = v0.Sub(low), v1.Sub(low), v2.Sub(low), v3.Sub(low)
		if sparse {
			v0, v1, v2, v3 = v0.Or(between), v1.Or(between), v2.Or(between), v3.Or(between)
		}
		if anyNEON(nearest32NEON(v0, v1, v2, v3, span)) {
			break
		}
	}
	return i, false
}

// count32NEON works like count32AVX512.
//
//gen:also count8NEON count16NEON count64NEON
func count32NEON(b []byte, a *arc, stride int) int {
	low, span := archsimd.BroadcastUint32x4(uint32(a.low)), archsimd.BroadcastUint32x4(uint32(a.span))
	magnitude := archsimd.BroadcastUint32x4(^uint32(0) >> 1)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[log32][:])).ToBits()
	between := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Pointer(gaps(width32, stride))))
	swap, float := a.typ.bigEndian, a.typ.Float()
	sum := 0
	base, n, i := unsafe.Pointer(unsafe.SliceData(b)), len(b), 0
	for i+64 <= n {
		var bytes archsimd.Uint8x16
		for end := min(i+blocksMax*64, n-63); i < end; i += 64 {
			p := unsafe.Add(base, i)
			v0 := archsimd.LoadUint32x4Array((*[4]uint32)(p))
			v1 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 16)))
			v2 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 32)))
			v3 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 48)))
			if swap {
				v0, v1 = swap32NEON(v0, swapped), swap32NEON(v1, swapped)
				v2, v3 = swap32NEON(v2, swapped), swap32NEON(v3, swapped)
			}
			if float {
				v0 = key32NEON(v0, magnitude)
				v1 = key32NEON(v1, magnitude)
				v2 = key32NEON(v2, magnitude)
				v3 = key32NEON(v3, magnitude)
			}
			v0, v1, v2, v3 = v0.Sub(low), v1.Sub(low), v2.Sub(low), v3.Sub(low)
			bytes = bytes.Sub(lanes32NEON(v0, span).Add(lanes32NEON(v1, span)).
				Add(lanes32NEON(v2, span).Add(lanes32NEON(v3, span))))
		}
		sum += sumNEON(bytes.AndNot(between))
	}
	var bytes archsimd.Uint8x16
	for ; i < n; i += 16 {
		start := min(i, n-16)
		v := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(base, start)))
		if swap {
			v = swap32NEON(v, swapped)
		}
		if float {
			v = key32NEON(v, magnitude)
		}
		fresh := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Pointer(lanesFrom(i - start))))
		bytes = bytes.Sub(lanes32NEON(v.Sub(low), span).And(fresh))
	}
	return (sum + sumNEON(bytes.AndNot(between))) / width32
}

// nearest32NEON sets bits if any of the differences is on the arc.
//
//gen:also nearest8NEON nearest16NEON
func nearest32NEON(v0, v1, v2, v3, span archsimd.Uint32x4) archsimd.Uint8x16 {
	return lanes32NEON(v0.Min(v1).Min(v2.Min(v3)), span)
}

// nearest64NEON compares every vector, since NEON has no 64-bit minimum.
func nearest64NEON(v0, v1, v2, v3, span archsimd.Uint64x2) archsimd.Uint8x16 {
	return lanes64NEON(v0, span).Or(lanes64NEON(v1, span)).Or(lanes64NEON(v2, span).Or(lanes64NEON(v3, span)))
}

// lanes32NEON sets all bits of the differences that are on the arc.
//
//gen:also lanes16NEON lanes64NEON
func lanes32NEON(v, span archsimd.Uint32x4) archsimd.Uint8x16 {
	return v.LessEqual(span).ToInt32x4().ToBits().ReshapeToUint8s()
}

func lanes8NEON(v, span archsimd.Uint8x16) archsimd.Uint8x16 {
	return v.LessEqual(span).ToInt8x16().ToBits()
}

//gen:also swap16NEON swap64NEON
func swap32NEON(v archsimd.Uint32x4, swapped archsimd.Uint8x16) archsimd.Uint32x4 {
	return v.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint32s()
}

func swap8NEON(v archsimd.Uint8x16, _ archsimd.Uint8x16) archsimd.Uint8x16 { return v }

func anyNEON(lanes archsimd.Uint8x16) bool { return lanes.ReshapeToUint32s().ReduceMax() != 0 }

// sumNEON adds up the bytes of a vector: first the two of each pair, in 16 bits, which hold the sum
// of all bytes as well.
func sumNEON(bytes archsimd.Uint8x16) int {
	pairs := bytes.ReshapeToUint16s()
	low := pairs.And(archsimd.BroadcastUint16x8(0xff))
	return int(low.Add(pairs.ShiftAllRight(8)).ReduceSum())
}
