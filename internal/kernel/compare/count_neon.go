//go:build goexperiment.simd && arm64

package compare

import (
	"simd/archsimd"
	"unsafe"
)

// The loops are those of AVX-512.

func count8NEON(b []byte, a *arc, stride int) int {
	low := archsimd.BroadcastUint8x16(uint8(a.low))
	span := archsimd.BroadcastUint8x16(uint8(a.span))
	magnitude := archsimd.BroadcastUint8x16(1<<7 - 1)
	between := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Pointer(gaps(1, stride))))
	sum := 0
	float := a.typ.Float()
	base, n, i := unsafe.Pointer(unsafe.SliceData(b)), len(b), 0
	for i+64 <= n {
		var bytes archsimd.Uint8x16
		for end := min(i+blocksMax*64, n-63); i < end; i += 64 {
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
			fits0 := v0.Sub(low).LessEqual(span).ToInt8x16().ToBits()
			fits1 := v1.Sub(low).LessEqual(span).ToInt8x16().ToBits()
			fits2 := v2.Sub(low).LessEqual(span).ToInt8x16().ToBits()
			fits3 := v3.Sub(low).LessEqual(span).ToInt8x16().ToBits()
			bytes = bytes.Sub(fits0.Add(fits1).Add(fits2.Add(fits3)))
		}
		sum += sumNEON(bytes.AndNot(between))
	}
	var bytes archsimd.Uint8x16
	for ; i < n; i += 16 {
		start := min(i, n-16)
		p := unsafe.Add(base, start)
		v := archsimd.LoadUint8x16Array((*[16]uint8)(p))
		if float {
			v = v.Xor(v.BitsToInt8().ShiftAllRight(7).ToBits().And(magnitude))
		}
		fresh := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Pointer(lanesFrom(i - start))))
		bytes = bytes.Sub(v.Sub(low).LessEqual(span).ToInt8x16().ToBits().And(fresh))
	}
	return sum + sumNEON(bytes.AndNot(between))
}

func count16NEON(b []byte, a *arc, stride int) int {
	low := archsimd.BroadcastUint16x8(uint16(a.low))
	span := archsimd.BroadcastUint16x8(uint16(a.span))
	magnitude := archsimd.BroadcastUint16x8(1<<15 - 1)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[1][:])).ToBits()
	between := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Pointer(gaps(2, stride))))
	swap, float := a.typ.bigEndian, a.typ.Float()
	sum := 0
	base, n, i := unsafe.Pointer(unsafe.SliceData(b)), len(b), 0
	for i+64 <= n {
		var bytes archsimd.Uint8x16
		for end := min(i+blocksMax*64, n-63); i < end; i += 64 {
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
			fits0 := v0.Sub(low).LessEqual(span).ToInt16x8().ToBits().ReshapeToUint8s()
			fits1 := v1.Sub(low).LessEqual(span).ToInt16x8().ToBits().ReshapeToUint8s()
			fits2 := v2.Sub(low).LessEqual(span).ToInt16x8().ToBits().ReshapeToUint8s()
			fits3 := v3.Sub(low).LessEqual(span).ToInt16x8().ToBits().ReshapeToUint8s()
			bytes = bytes.Sub(fits0.Add(fits1).Add(fits2.Add(fits3)))
		}
		sum += sumNEON(bytes.AndNot(between))
	}
	var bytes archsimd.Uint8x16
	for ; i < n; i += 16 {
		start := min(i, n-16)
		p := unsafe.Add(base, start)
		v := archsimd.LoadUint16x8Array((*[8]uint16)(p))
		if swap {
			v = v.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint16s()
		}
		if float {
			v = v.Xor(v.BitsToInt16().ShiftAllRight(15).ToBits().And(magnitude))
		}
		fresh := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Pointer(lanesFrom(i - start))))
		bytes = bytes.Sub(v.Sub(low).LessEqual(span).ToInt16x8().ToBits().ReshapeToUint8s().And(fresh))
	}
	return (sum + sumNEON(bytes.AndNot(between))) / 2
}

func count32NEON(b []byte, a *arc, stride int) int {
	low := archsimd.BroadcastUint32x4(uint32(a.low))
	span := archsimd.BroadcastUint32x4(uint32(a.span))
	magnitude := archsimd.BroadcastUint32x4(1<<31 - 1)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[2][:])).ToBits()
	between := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Pointer(gaps(4, stride))))
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
			fits0 := v0.Sub(low).LessEqual(span).ToInt32x4().ToBits().ReshapeToUint8s()
			fits1 := v1.Sub(low).LessEqual(span).ToInt32x4().ToBits().ReshapeToUint8s()
			fits2 := v2.Sub(low).LessEqual(span).ToInt32x4().ToBits().ReshapeToUint8s()
			fits3 := v3.Sub(low).LessEqual(span).ToInt32x4().ToBits().ReshapeToUint8s()
			bytes = bytes.Sub(fits0.Add(fits1).Add(fits2.Add(fits3)))
		}
		sum += sumNEON(bytes.AndNot(between))
	}
	var bytes archsimd.Uint8x16
	for ; i < n; i += 16 {
		start := min(i, n-16)
		p := unsafe.Add(base, start)
		v := archsimd.LoadUint32x4Array((*[4]uint32)(p))
		if swap {
			v = v.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint32s()
		}
		if float {
			v = v.Xor(v.BitsToInt32().ShiftAllRight(31).ToBits().And(magnitude))
		}
		fresh := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Pointer(lanesFrom(i - start))))
		bytes = bytes.Sub(v.Sub(low).LessEqual(span).ToInt32x4().ToBits().ReshapeToUint8s().And(fresh))
	}
	return (sum + sumNEON(bytes.AndNot(between))) / 4
}

func count64NEON(b []byte, a *arc, stride int) int {
	low := archsimd.BroadcastUint64x2(a.low)
	span := archsimd.BroadcastUint64x2(a.span)
	magnitude := archsimd.BroadcastUint64x2(1<<63 - 1)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[3][:])).ToBits()
	between := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Pointer(gaps(8, stride))))
	swap, float := a.typ.bigEndian, a.typ.Float()
	sum := 0
	base, n, i := unsafe.Pointer(unsafe.SliceData(b)), len(b), 0
	for i+64 <= n {
		var bytes archsimd.Uint8x16
		for end := min(i+blocksMax*64, n-63); i < end; i += 64 {
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
			fits0 := v0.Sub(low).LessEqual(span).ToInt64x2().ToBits().ReshapeToUint8s()
			fits1 := v1.Sub(low).LessEqual(span).ToInt64x2().ToBits().ReshapeToUint8s()
			fits2 := v2.Sub(low).LessEqual(span).ToInt64x2().ToBits().ReshapeToUint8s()
			fits3 := v3.Sub(low).LessEqual(span).ToInt64x2().ToBits().ReshapeToUint8s()
			bytes = bytes.Sub(fits0.Add(fits1).Add(fits2.Add(fits3)))
		}
		sum += sumNEON(bytes.AndNot(between))
	}
	var bytes archsimd.Uint8x16
	for ; i < n; i += 16 {
		start := min(i, n-16)
		p := unsafe.Add(base, start)
		v := archsimd.LoadUint64x2Array((*[2]uint64)(p))
		if swap {
			v = v.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint64s()
		}
		if float {
			v = v.Xor(v.BitsToInt64().ShiftAllRight(63).ToBits().And(magnitude))
		}
		fresh := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Pointer(lanesFrom(i - start))))
		bytes = bytes.Sub(v.Sub(low).LessEqual(span).ToInt64x2().ToBits().ReshapeToUint8s().And(fresh))
	}
	return (sum + sumNEON(bytes.AndNot(between))) / 8
}

// sumNEON adds up the bytes of a vector: first the two of each pair, in 16 bits, which hold the sum
// of all bytes as well.
func sumNEON(bytes archsimd.Uint8x16) int {
	pairs := bytes.ReshapeToUint16s()
	low := pairs.And(archsimd.BroadcastUint16x8(0xff))
	return int(low.Add(pairs.ShiftAllRight(8)).ReduceSum())
}
