//go:build goexperiment.simd && arm64

package compare

import (
	"simd/archsimd"
	"unsafe"
)

// The kernels stop at the first block of four vectors that holds a value on the arc, and the plain
// variant finds it there: NEON has no short way from a mask to an index.

func index8NEON(b []byte, a *arc, stride int) (i int, found bool) {
	low := archsimd.BroadcastUint8x16(uint8(a.low))
	span := archsimd.BroadcastUint8x16(uint8(a.span))
	magnitude := archsimd.BroadcastUint8x16(1<<7 - 1)
	between := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Pointer(gaps(1, stride))))
	float, sparse := a.typ.Float(), stride > 1
	base, n := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	for ; i+64 <= n; i += 64 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p))
		v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16)))
		v2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32)))
		v3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48)))
		if float {
			v0 = v0.Xor(v0.BitsToInt8().ShiftAllRight(7).ToBits().And(magnitude))
			v1 = v1.Xor(v1.BitsToInt8().ShiftAllRight(7).ToBits().And(magnitude))
			v2 = v2.Xor(v2.BitsToInt8().ShiftAllRight(7).ToBits().And(magnitude))
			v3 = v3.Xor(v3.BitsToInt8().ShiftAllRight(7).ToBits().And(magnitude))
		}
		v0 = v0.Sub(low)
		v1 = v1.Sub(low)
		v2 = v2.Sub(low)
		v3 = v3.Sub(low)
		if sparse {
			v0 = v0.Or(between)
			v1 = v1.Or(between)
			v2 = v2.Or(between)
			v3 = v3.Or(between)
		}
		in := v0.Min(v1).Min(v2.Min(v3)).LessEqual(span).ToInt8x16()
		if in.ToBits().ReshapeToUint32s().ReduceMax() != 0 {
			break
		}
	}
	return i, false
}

func index16NEON(b []byte, a *arc, stride int) (i int, found bool) {
	low := archsimd.BroadcastUint16x8(uint16(a.low))
	span := archsimd.BroadcastUint16x8(uint16(a.span))
	magnitude := archsimd.BroadcastUint16x8(1<<15 - 1)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[1][:])).ToBits()
	between := archsimd.LoadUint16x8Array((*[8]uint16)(unsafe.Pointer(gaps(2, stride))))
	swap, float, sparse := a.typ.bigEndian, a.typ.Float(), stride > 2
	base, n := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	for ; i+64 <= n; i += 64 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint16x8Array((*[8]uint16)(p))
		v1 := archsimd.LoadUint16x8Array((*[8]uint16)(unsafe.Add(p, 16)))
		v2 := archsimd.LoadUint16x8Array((*[8]uint16)(unsafe.Add(p, 32)))
		v3 := archsimd.LoadUint16x8Array((*[8]uint16)(unsafe.Add(p, 48)))
		if swap {
			v0 = v0.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint16s()
			v1 = v1.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint16s()
			v2 = v2.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint16s()
			v3 = v3.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint16s()
		}
		if float {
			v0 = v0.Xor(v0.BitsToInt16().ShiftAllRight(15).ToBits().And(magnitude))
			v1 = v1.Xor(v1.BitsToInt16().ShiftAllRight(15).ToBits().And(magnitude))
			v2 = v2.Xor(v2.BitsToInt16().ShiftAllRight(15).ToBits().And(magnitude))
			v3 = v3.Xor(v3.BitsToInt16().ShiftAllRight(15).ToBits().And(magnitude))
		}
		v0 = v0.Sub(low)
		v1 = v1.Sub(low)
		v2 = v2.Sub(low)
		v3 = v3.Sub(low)
		if sparse {
			v0 = v0.Or(between)
			v1 = v1.Or(between)
			v2 = v2.Or(between)
			v3 = v3.Or(between)
		}
		in := v0.Min(v1).Min(v2.Min(v3)).LessEqual(span).ToInt16x8()
		if in.ToBits().ReshapeToUint32s().ReduceMax() != 0 {
			break
		}
	}
	return i, false
}

func index32NEON(b []byte, a *arc, stride int) (i int, found bool) {
	low := archsimd.BroadcastUint32x4(uint32(a.low))
	span := archsimd.BroadcastUint32x4(uint32(a.span))
	magnitude := archsimd.BroadcastUint32x4(1<<31 - 1)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[2][:])).ToBits()
	between := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Pointer(gaps(4, stride))))
	swap, float, sparse := a.typ.bigEndian, a.typ.Float(), stride > 4
	base, n := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	for ; i+64 <= n; i += 64 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint32x4Array((*[4]uint32)(p))
		v1 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 16)))
		v2 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 32)))
		v3 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 48)))
		if swap {
			v0 = v0.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint32s()
			v1 = v1.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint32s()
			v2 = v2.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint32s()
			v3 = v3.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint32s()
		}
		if float {
			v0 = v0.Xor(v0.BitsToInt32().ShiftAllRight(31).ToBits().And(magnitude))
			v1 = v1.Xor(v1.BitsToInt32().ShiftAllRight(31).ToBits().And(magnitude))
			v2 = v2.Xor(v2.BitsToInt32().ShiftAllRight(31).ToBits().And(magnitude))
			v3 = v3.Xor(v3.BitsToInt32().ShiftAllRight(31).ToBits().And(magnitude))
		}
		v0 = v0.Sub(low)
		v1 = v1.Sub(low)
		v2 = v2.Sub(low)
		v3 = v3.Sub(low)
		if sparse {
			v0 = v0.Or(between)
			v1 = v1.Or(between)
			v2 = v2.Or(between)
			v3 = v3.Or(between)
		}
		in := v0.Min(v1).Min(v2.Min(v3)).LessEqual(span).ToInt32x4()
		if in.ToBits().ReduceMax() != 0 {
			break
		}
	}
	return i, false
}

// index64NEON compares every vector, since NEON has no 64-bit minimum.
func index64NEON(b []byte, a *arc, stride int) (i int, found bool) {
	low := archsimd.BroadcastUint64x2(uint64(a.low))
	span := archsimd.BroadcastUint64x2(uint64(a.span))
	magnitude := archsimd.BroadcastUint64x2(1<<63 - 1)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[3][:])).ToBits()
	between := archsimd.LoadUint64x2Array((*[2]uint64)(unsafe.Pointer(gaps(8, stride))))
	swap, float, sparse := a.typ.bigEndian, a.typ.Float(), stride > 8
	base, n := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	for ; i+64 <= n; i += 64 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint64x2Array((*[2]uint64)(p))
		v1 := archsimd.LoadUint64x2Array((*[2]uint64)(unsafe.Add(p, 16)))
		v2 := archsimd.LoadUint64x2Array((*[2]uint64)(unsafe.Add(p, 32)))
		v3 := archsimd.LoadUint64x2Array((*[2]uint64)(unsafe.Add(p, 48)))
		if swap {
			v0 = v0.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint64s()
			v1 = v1.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint64s()
			v2 = v2.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint64s()
			v3 = v3.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint64s()
		}
		if float {
			v0 = v0.Xor(v0.BitsToInt64().ShiftAllRight(63).ToBits().And(magnitude))
			v1 = v1.Xor(v1.BitsToInt64().ShiftAllRight(63).ToBits().And(magnitude))
			v2 = v2.Xor(v2.BitsToInt64().ShiftAllRight(63).ToBits().And(magnitude))
			v3 = v3.Xor(v3.BitsToInt64().ShiftAllRight(63).ToBits().And(magnitude))
		}
		v0 = v0.Sub(low)
		v1 = v1.Sub(low)
		v2 = v2.Sub(low)
		v3 = v3.Sub(low)
		if sparse {
			v0 = v0.Or(between)
			v1 = v1.Or(between)
			v2 = v2.Or(between)
			v3 = v3.Or(between)
		}
		in0 := v0.LessEqual(span).ToInt64x2()
		in1 := v1.LessEqual(span).ToInt64x2()
		in2 := v2.LessEqual(span).ToInt64x2()
		in3 := v3.LessEqual(span).ToInt64x2()
		in := in0.Or(in1).Or(in2.Or(in3))
		if in.ToBits().ReshapeToUint32s().ReduceMax() != 0 {
			break
		}
	}
	return i, false
}
