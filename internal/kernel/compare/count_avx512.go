//go:build goexperiment.simd && amd64

package compare

import (
	"simd/archsimd"
	"unsafe"
)

// All four kernels work the same way: first blocks of four vectors, as many as the byte sums can
// take before they overflow, then single vectors. The last vector overlaps the one before it and
// counts only the bytes that one did not.

func count8AVX512(b []byte, a *arc, stride int) int {
	low := archsimd.BroadcastUint8x64(uint8(a.low))
	span := archsimd.BroadcastUint8x64(uint8(a.span))
	magnitude := archsimd.BroadcastUint8x64(1<<7 - 1)
	var none archsimd.Int8x64
	between := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Pointer(gaps(1, stride))))
	var zero archsimd.Uint8x64
	var sum archsimd.Uint64x8
	float := a.typ.Float()
	base, n, i := unsafe.Pointer(unsafe.SliceData(b)), len(b), 0
	for i+256 <= n {
		var bytes archsimd.Uint8x64
		for end := min(i+blocksMax*256, n-255); i < end; i += 256 {
			p := unsafe.Add(base, i)
			v0 := archsimd.LoadUint8x64Array((*[64]uint8)(p))
			v1 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(p, 64)))
			v2 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(p, 128)))
			v3 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(p, 192)))
			if float {
				v0 = v0.Xor(none.Greater(v0.BitsToInt8()).ToInt8x64().ToBits().And(magnitude))
				v1 = v1.Xor(none.Greater(v1.BitsToInt8()).ToInt8x64().ToBits().And(magnitude))
				v2 = v2.Xor(none.Greater(v2.BitsToInt8()).ToInt8x64().ToBits().And(magnitude))
				v3 = v3.Xor(none.Greater(v3.BitsToInt8()).ToInt8x64().ToBits().And(magnitude))
			}
			fits0 := v0.Sub(low).LessEqual(span).ToInt8x64().ToBits()
			fits1 := v1.Sub(low).LessEqual(span).ToInt8x64().ToBits()
			fits2 := v2.Sub(low).LessEqual(span).ToInt8x64().ToBits()
			fits3 := v3.Sub(low).LessEqual(span).ToInt8x64().ToBits()
			bytes = bytes.Sub(fits0.Add(fits1).Add(fits2.Add(fits3)))
		}
		sum = sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))
	}
	var bytes archsimd.Uint8x64
	for ; i < n; i += 64 {
		start := min(i, n-64)
		p := unsafe.Add(base, start)
		v := archsimd.LoadUint8x64Array((*[64]uint8)(p))
		if float {
			v = v.Xor(none.Greater(v.BitsToInt8()).ToInt8x64().ToBits().And(magnitude))
		}
		fresh := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Pointer(lanesFrom(i - start))))
		bytes = bytes.Sub(v.Sub(low).LessEqual(span).ToInt8x64().ToBits().And(fresh))
	}
	sum = sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))
	var sums [8]uint64
	sum.StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	all := sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7]
	return int(all)
}

func count16AVX512(b []byte, a *arc, stride int) int {
	low := archsimd.BroadcastUint16x32(uint16(a.low))
	span := archsimd.BroadcastUint16x32(uint16(a.span))
	magnitude := archsimd.BroadcastUint16x32(1<<15 - 1)
	swapped := archsimd.LoadInt8x64Array(&byteSwap[1])
	between := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Pointer(gaps(2, stride))))
	swap, float := a.typ.bigEndian, a.typ.Float()
	var zero archsimd.Uint8x64
	var sum archsimd.Uint64x8
	base, n, i := unsafe.Pointer(unsafe.SliceData(b)), len(b), 0
	for i+256 <= n {
		var bytes archsimd.Uint8x64
		for end := min(i+blocksMax*256, n-255); i < end; i += 256 {
			p := unsafe.Add(base, i)
			v0 := archsimd.LoadUint16x32Array((*[32]uint16)(p))
			v1 := archsimd.LoadUint16x32Array((*[32]uint16)(unsafe.Add(p, 64)))
			v2 := archsimd.LoadUint16x32Array((*[32]uint16)(unsafe.Add(p, 128)))
			v3 := archsimd.LoadUint16x32Array((*[32]uint16)(unsafe.Add(p, 192)))
			if swap {
				v0 = v0.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint16s()
				v1 = v1.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint16s()
				v2 = v2.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint16s()
				v3 = v3.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint16s()
			}
			if float {
				v0 = v0.Xor(v0.BitsToInt16().ShiftAllRight(15).ToBits().And(magnitude))
				v1 = v1.Xor(v1.BitsToInt16().ShiftAllRight(15).ToBits().And(magnitude))
				v2 = v2.Xor(v2.BitsToInt16().ShiftAllRight(15).ToBits().And(magnitude))
				v3 = v3.Xor(v3.BitsToInt16().ShiftAllRight(15).ToBits().And(magnitude))
			}
			fits0 := v0.Sub(low).LessEqual(span).ToInt16x32().ToBits().ReshapeToUint8s()
			fits1 := v1.Sub(low).LessEqual(span).ToInt16x32().ToBits().ReshapeToUint8s()
			fits2 := v2.Sub(low).LessEqual(span).ToInt16x32().ToBits().ReshapeToUint8s()
			fits3 := v3.Sub(low).LessEqual(span).ToInt16x32().ToBits().ReshapeToUint8s()
			bytes = bytes.Sub(fits0.Add(fits1).Add(fits2.Add(fits3)))
		}
		sum = sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))
	}
	var bytes archsimd.Uint8x64
	for ; i < n; i += 64 {
		start := min(i, n-64)
		p := unsafe.Add(base, start)
		v := archsimd.LoadUint16x32Array((*[32]uint16)(p))
		if swap {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint16s()
		}
		if float {
			v = v.Xor(v.BitsToInt16().ShiftAllRight(15).ToBits().And(magnitude))
		}
		fresh := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Pointer(lanesFrom(i - start))))
		bytes = bytes.Sub(v.Sub(low).LessEqual(span).ToInt16x32().ToBits().ReshapeToUint8s().And(fresh))
	}
	sum = sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))
	var sums [8]uint64
	sum.StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	all := sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7]
	return int(all / 2)
}

func count32AVX512(b []byte, a *arc, stride int) int {
	low := archsimd.BroadcastUint32x16(uint32(a.low))
	span := archsimd.BroadcastUint32x16(uint32(a.span))
	magnitude := archsimd.BroadcastUint32x16(1<<31 - 1)
	swapped := archsimd.LoadInt8x64Array(&byteSwap[2])
	between := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Pointer(gaps(4, stride))))
	swap, float := a.typ.bigEndian, a.typ.Float()
	var zero archsimd.Uint8x64
	var sum archsimd.Uint64x8
	base, n, i := unsafe.Pointer(unsafe.SliceData(b)), len(b), 0
	for i+256 <= n {
		var bytes archsimd.Uint8x64
		for end := min(i+blocksMax*256, n-255); i < end; i += 256 {
			p := unsafe.Add(base, i)
			v0 := archsimd.LoadUint32x16Array((*[16]uint32)(p))
			v1 := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(p, 64)))
			v2 := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(p, 128)))
			v3 := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(p, 192)))
			if swap {
				v0 = v0.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint32s()
				v1 = v1.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint32s()
				v2 = v2.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint32s()
				v3 = v3.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint32s()
			}
			if float {
				v0 = v0.Xor(v0.BitsToInt32().ShiftAllRight(31).ToBits().And(magnitude))
				v1 = v1.Xor(v1.BitsToInt32().ShiftAllRight(31).ToBits().And(magnitude))
				v2 = v2.Xor(v2.BitsToInt32().ShiftAllRight(31).ToBits().And(magnitude))
				v3 = v3.Xor(v3.BitsToInt32().ShiftAllRight(31).ToBits().And(magnitude))
			}
			fits0 := v0.Sub(low).LessEqual(span).ToInt32x16().ToBits().ReshapeToUint8s()
			fits1 := v1.Sub(low).LessEqual(span).ToInt32x16().ToBits().ReshapeToUint8s()
			fits2 := v2.Sub(low).LessEqual(span).ToInt32x16().ToBits().ReshapeToUint8s()
			fits3 := v3.Sub(low).LessEqual(span).ToInt32x16().ToBits().ReshapeToUint8s()
			bytes = bytes.Sub(fits0.Add(fits1).Add(fits2.Add(fits3)))
		}
		sum = sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))
	}
	var bytes archsimd.Uint8x64
	for ; i < n; i += 64 {
		start := min(i, n-64)
		p := unsafe.Add(base, start)
		v := archsimd.LoadUint32x16Array((*[16]uint32)(p))
		if swap {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint32s()
		}
		if float {
			v = v.Xor(v.BitsToInt32().ShiftAllRight(31).ToBits().And(magnitude))
		}
		fresh := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Pointer(lanesFrom(i - start))))
		bytes = bytes.Sub(v.Sub(low).LessEqual(span).ToInt32x16().ToBits().ReshapeToUint8s().And(fresh))
	}
	sum = sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))
	var sums [8]uint64
	sum.StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	all := sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7]
	return int(all / 4)
}

func count64AVX512(b []byte, a *arc, stride int) int {
	low := archsimd.BroadcastUint64x8(a.low)
	span := archsimd.BroadcastUint64x8(a.span)
	magnitude := archsimd.BroadcastUint64x8(1<<63 - 1)
	swapped := archsimd.LoadInt8x64Array(&byteSwap[3])
	between := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Pointer(gaps(8, stride))))
	swap, float := a.typ.bigEndian, a.typ.Float()
	var zero archsimd.Uint8x64
	var sum archsimd.Uint64x8
	base, n, i := unsafe.Pointer(unsafe.SliceData(b)), len(b), 0
	for i+256 <= n {
		var bytes archsimd.Uint8x64
		for end := min(i+blocksMax*256, n-255); i < end; i += 256 {
			p := unsafe.Add(base, i)
			v0 := archsimd.LoadUint64x8Array((*[8]uint64)(p))
			v1 := archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 64)))
			v2 := archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 128)))
			v3 := archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 192)))
			if swap {
				v0 = v0.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
				v1 = v1.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
				v2 = v2.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
				v3 = v3.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
			}
			if float {
				v0 = v0.Xor(v0.BitsToInt64().ShiftAllRight(63).ToBits().And(magnitude))
				v1 = v1.Xor(v1.BitsToInt64().ShiftAllRight(63).ToBits().And(magnitude))
				v2 = v2.Xor(v2.BitsToInt64().ShiftAllRight(63).ToBits().And(magnitude))
				v3 = v3.Xor(v3.BitsToInt64().ShiftAllRight(63).ToBits().And(magnitude))
			}
			fits0 := v0.Sub(low).LessEqual(span).ToInt64x8().ToBits().ReshapeToUint8s()
			fits1 := v1.Sub(low).LessEqual(span).ToInt64x8().ToBits().ReshapeToUint8s()
			fits2 := v2.Sub(low).LessEqual(span).ToInt64x8().ToBits().ReshapeToUint8s()
			fits3 := v3.Sub(low).LessEqual(span).ToInt64x8().ToBits().ReshapeToUint8s()
			bytes = bytes.Sub(fits0.Add(fits1).Add(fits2.Add(fits3)))
		}
		sum = sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))
	}
	var bytes archsimd.Uint8x64
	for ; i < n; i += 64 {
		start := min(i, n-64)
		p := unsafe.Add(base, start)
		v := archsimd.LoadUint64x8Array((*[8]uint64)(p))
		if swap {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
		}
		if float {
			v = v.Xor(v.BitsToInt64().ShiftAllRight(63).ToBits().And(magnitude))
		}
		fresh := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Pointer(lanesFrom(i - start))))
		bytes = bytes.Sub(v.Sub(low).LessEqual(span).ToInt64x8().ToBits().ReshapeToUint8s().And(fresh))
	}
	sum = sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))
	var sums [8]uint64
	sum.StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	all := sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7]
	return int(all / 8)
}
