//go:build goexperiment.simd && amd64

package compare

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// AVX2 cannot compare unsigned numbers: a difference is on the arc if it equals its minimum with
// span. The loops are those of AVX-512.

// count8AVX2 counts in two stretches at a time where they are long enough. See kernel.PairBytes.
func count8AVX2(b []byte, a *arc, stride int) int {
	low := archsimd.BroadcastUint8x32(uint8(a.low))
	span := archsimd.BroadcastUint8x32(uint8(a.span))
	magnitude := archsimd.BroadcastUint8x32(1<<7 - 1)
	var none archsimd.Int8x32
	between := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Pointer(gaps(1, stride))))
	var zero archsimd.Uint8x32
	var sum archsimd.Uint64x4
	float := a.typ.Float()
	base, n, i := unsafe.Pointer(unsafe.SliceData(b)), len(b), 0
	for i+128 <= n {
		far, step, end := 64, 128, n-127
		if i+kernel.PairBytes <= n {
			far, step, end = kernel.StretchBytes, 64, i+kernel.StretchBytes
		}
		for i < end {
			var bytes archsimd.Uint8x32
			for part := min(i+blocksMax*step, end); i < part; i += step {
				p := unsafe.Add(base, i)
				q := unsafe.Add(p, far)
				v0 := archsimd.LoadUint8x32Array((*[32]uint8)(p))
				v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))
				v2 := archsimd.LoadUint8x32Array((*[32]uint8)(q))
				v3 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(q, 32)))
				if float {
					v0 = v0.Xor(none.Greater(v0.BitsToInt8()).ToInt8x32().ToBits().And(magnitude))
					v1 = v1.Xor(none.Greater(v1.BitsToInt8()).ToInt8x32().ToBits().And(magnitude))
					v2 = v2.Xor(none.Greater(v2.BitsToInt8()).ToInt8x32().ToBits().And(magnitude))
					v3 = v3.Xor(none.Greater(v3.BitsToInt8()).ToInt8x32().ToBits().And(magnitude))
				}
				v0 = v0.Sub(low)
				v1 = v1.Sub(low)
				v2 = v2.Sub(low)
				v3 = v3.Sub(low)
				fits0 := v0.Min(span).Equal(v0).ToInt8x32().ToBits()
				fits1 := v1.Min(span).Equal(v1).ToInt8x32().ToBits()
				fits2 := v2.Min(span).Equal(v2).ToInt8x32().ToBits()
				fits3 := v3.Min(span).Equal(v3).ToInt8x32().ToBits()
				bytes = bytes.Sub(fits0.Add(fits1).Add(fits2.Add(fits3)))
			}
			sum = sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))
		}
		if step == 64 {
			i += far
		}
	}
	var bytes archsimd.Uint8x32
	for ; i < n; i += 32 {
		start := min(i, n-32)
		p := unsafe.Add(base, start)
		v := archsimd.LoadUint8x32Array((*[32]uint8)(p))
		if float {
			v = v.Xor(none.Greater(v.BitsToInt8()).ToInt8x32().ToBits().And(magnitude))
		}
		v = v.Sub(low)
		fresh := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Pointer(lanesFrom(i - start))))
		bytes = bytes.Sub(v.Min(span).Equal(v).ToInt8x32().ToBits().And(fresh))
	}
	sum = sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))
	var sums [4]uint64
	sum.StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	all := sums[0] + sums[1] + sums[2] + sums[3]
	return int(all)
}

func count16AVX2(b []byte, a *arc, stride int) int {
	low := archsimd.BroadcastUint16x16(uint16(a.low))
	span := archsimd.BroadcastUint16x16(uint16(a.span))
	magnitude := archsimd.BroadcastUint16x16(1<<15 - 1)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[1][:]))
	between := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Pointer(gaps(2, stride))))
	swap, float := a.typ.bigEndian, a.typ.Float()
	var zero archsimd.Uint8x32
	var sum archsimd.Uint64x4
	base, n, i := unsafe.Pointer(unsafe.SliceData(b)), len(b), 0
	for i+128 <= n {
		var bytes archsimd.Uint8x32
		for end := min(i+blocksMax*128, n-127); i < end; i += 128 {
			p := unsafe.Add(base, i)
			v0 := archsimd.LoadUint16x16Array((*[16]uint16)(p))
			v1 := archsimd.LoadUint16x16Array((*[16]uint16)(unsafe.Add(p, 32)))
			v2 := archsimd.LoadUint16x16Array((*[16]uint16)(unsafe.Add(p, 64)))
			v3 := archsimd.LoadUint16x16Array((*[16]uint16)(unsafe.Add(p, 96)))
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
			v0 = v0.Sub(low)
			v1 = v1.Sub(low)
			v2 = v2.Sub(low)
			v3 = v3.Sub(low)
			fits0 := v0.Min(span).Equal(v0).ToInt16x16().ToBits().ReshapeToUint8s()
			fits1 := v1.Min(span).Equal(v1).ToInt16x16().ToBits().ReshapeToUint8s()
			fits2 := v2.Min(span).Equal(v2).ToInt16x16().ToBits().ReshapeToUint8s()
			fits3 := v3.Min(span).Equal(v3).ToInt16x16().ToBits().ReshapeToUint8s()
			bytes = bytes.Sub(fits0.Add(fits1).Add(fits2.Add(fits3)))
		}
		sum = sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))
	}
	var bytes archsimd.Uint8x32
	for ; i < n; i += 32 {
		start := min(i, n-32)
		p := unsafe.Add(base, start)
		v := archsimd.LoadUint16x16Array((*[16]uint16)(p))
		if swap {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint16s()
		}
		if float {
			v = v.Xor(v.BitsToInt16().ShiftAllRight(15).ToBits().And(magnitude))
		}
		v = v.Sub(low)
		fresh := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Pointer(lanesFrom(i - start))))
		bytes = bytes.Sub(v.Min(span).Equal(v).ToInt16x16().ToBits().ReshapeToUint8s().And(fresh))
	}
	sum = sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))
	var sums [4]uint64
	sum.StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	all := sums[0] + sums[1] + sums[2] + sums[3]
	return int(all / 2)
}

func count32AVX2(b []byte, a *arc, stride int) int {
	low := archsimd.BroadcastUint32x8(uint32(a.low))
	span := archsimd.BroadcastUint32x8(uint32(a.span))
	magnitude := archsimd.BroadcastUint32x8(1<<31 - 1)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[2][:]))
	between := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Pointer(gaps(4, stride))))
	swap, float := a.typ.bigEndian, a.typ.Float()
	var zero archsimd.Uint8x32
	var sum archsimd.Uint64x4
	base, n, i := unsafe.Pointer(unsafe.SliceData(b)), len(b), 0
	for i+128 <= n {
		var bytes archsimd.Uint8x32
		for end := min(i+blocksMax*128, n-127); i < end; i += 128 {
			p := unsafe.Add(base, i)
			v0 := archsimd.LoadUint32x8Array((*[8]uint32)(p))
			v1 := archsimd.LoadUint32x8Array((*[8]uint32)(unsafe.Add(p, 32)))
			v2 := archsimd.LoadUint32x8Array((*[8]uint32)(unsafe.Add(p, 64)))
			v3 := archsimd.LoadUint32x8Array((*[8]uint32)(unsafe.Add(p, 96)))
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
			v0 = v0.Sub(low)
			v1 = v1.Sub(low)
			v2 = v2.Sub(low)
			v3 = v3.Sub(low)
			fits0 := v0.Min(span).Equal(v0).ToInt32x8().ToBits().ReshapeToUint8s()
			fits1 := v1.Min(span).Equal(v1).ToInt32x8().ToBits().ReshapeToUint8s()
			fits2 := v2.Min(span).Equal(v2).ToInt32x8().ToBits().ReshapeToUint8s()
			fits3 := v3.Min(span).Equal(v3).ToInt32x8().ToBits().ReshapeToUint8s()
			bytes = bytes.Sub(fits0.Add(fits1).Add(fits2.Add(fits3)))
		}
		sum = sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))
	}
	var bytes archsimd.Uint8x32
	for ; i < n; i += 32 {
		start := min(i, n-32)
		p := unsafe.Add(base, start)
		v := archsimd.LoadUint32x8Array((*[8]uint32)(p))
		if swap {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint32s()
		}
		if float {
			v = v.Xor(v.BitsToInt32().ShiftAllRight(31).ToBits().And(magnitude))
		}
		v = v.Sub(low)
		fresh := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Pointer(lanesFrom(i - start))))
		bytes = bytes.Sub(v.Min(span).Equal(v).ToInt32x8().ToBits().ReshapeToUint8s().And(fresh))
	}
	sum = sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))
	var sums [4]uint64
	sum.StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	all := sums[0] + sums[1] + sums[2] + sums[3]
	return int(all / 4)
}

// count64AVX2 has no 64-bit minimum and compares as signed numbers, as index64AVX2 does. A value is
// on the arc if its difference is less than bound, the first difference past the arc. There is such
// a difference because span is less than the highest key.
func count64AVX2(b []byte, a *arc, stride int) int {
	const top = 1 << 63
	low := archsimd.BroadcastUint64x4(a.low ^ top)
	bound := archsimd.BroadcastInt64x4(int64((a.span + 1) ^ top))
	magnitude := archsimd.BroadcastUint64x4(1<<63 - 1)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[3][:]))
	between := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Pointer(gaps(8, stride))))
	swap, float := a.typ.bigEndian, a.typ.Float()
	var zero archsimd.Uint8x32
	var sum archsimd.Uint64x4
	var none archsimd.Int64x4
	base, n, i := unsafe.Pointer(unsafe.SliceData(b)), len(b), 0
	for i+128 <= n {
		var bytes archsimd.Uint8x32
		for end := min(i+blocksMax*128, n-127); i < end; i += 128 {
			p := unsafe.Add(base, i)
			v0 := archsimd.LoadUint64x4Array((*[4]uint64)(p))
			v1 := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 32)))
			v2 := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 64)))
			v3 := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 96)))
			if swap {
				v0 = v0.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
				v1 = v1.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
				v2 = v2.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
				v3 = v3.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
			}
			if float {
				v0 = v0.Xor(none.Greater(v0.BitsToInt64()).ToInt64x4().ToBits().And(magnitude))
				v1 = v1.Xor(none.Greater(v1.BitsToInt64()).ToInt64x4().ToBits().And(magnitude))
				v2 = v2.Xor(none.Greater(v2.BitsToInt64()).ToInt64x4().ToBits().And(magnitude))
				v3 = v3.Xor(none.Greater(v3.BitsToInt64()).ToInt64x4().ToBits().And(magnitude))
			}
			fits0 := bound.Greater(v0.Sub(low).BitsToInt64()).ToInt64x4().ToBits().ReshapeToUint8s()
			fits1 := bound.Greater(v1.Sub(low).BitsToInt64()).ToInt64x4().ToBits().ReshapeToUint8s()
			fits2 := bound.Greater(v2.Sub(low).BitsToInt64()).ToInt64x4().ToBits().ReshapeToUint8s()
			fits3 := bound.Greater(v3.Sub(low).BitsToInt64()).ToInt64x4().ToBits().ReshapeToUint8s()
			bytes = bytes.Sub(fits0.Add(fits1).Add(fits2.Add(fits3)))
		}
		sum = sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))
	}
	var bytes archsimd.Uint8x32
	for ; i < n; i += 32 {
		start := min(i, n-32)
		p := unsafe.Add(base, start)
		v := archsimd.LoadUint64x4Array((*[4]uint64)(p))
		if swap {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
		}
		if float {
			v = v.Xor(none.Greater(v.BitsToInt64()).ToInt64x4().ToBits().And(magnitude))
		}
		fresh := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Pointer(lanesFrom(i - start))))
		bytes = bytes.Sub(bound.Greater(v.Sub(low).BitsToInt64()).ToInt64x4().ToBits().ReshapeToUint8s().And(fresh))
	}
	sum = sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))
	var sums [4]uint64
	sum.StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	all := sums[0] + sums[1] + sums[2] + sums[3]
	return int(all / 8)
}
