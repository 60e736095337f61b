//go:build goexperiment.simd && amd64

package stats

import (
	"simd/archsimd"
	"slices"
	"unsafe"
)

// ints8AVX512 adds eight bytes at once to a lane, as absolute differences from zero.
func ints8AVX512(b []byte, bias uint64, _ bool) (low, high, sum, sum32 uint64) {
	flip := archsimd.BroadcastUint8x64(uint8(bias))
	least := archsimd.BroadcastUint8x64(0xff)
	var zero, greatest archsimd.Uint8x64
	var sum0, sum1 archsimd.Uint64x8
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+stepBytes <= len(b); i += stepBytes {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint8x64Array((*[64]uint8)(p)).Xor(flip)
		v1 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(p, 64))).Xor(flip)
		least = least.Min(v0.Min(v1))
		greatest = greatest.Max(v0.Max(v1))
		sum0 = sum0.Add(v0.SumOf8AbsDiff(zero))
		sum1 = sum1.Add(v1.SumOf8AbsDiff(zero))
	}
	var lows, highs [64]uint8
	var sums [8]uint64
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	sum0.Add(sum1).StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	return uint64(slices.Min(lows[:])), uint64(slices.Max(highs[:])), total(sums[:]), 0
}

// ints16AVX512 adds pairs to lanes of 32 bits by multiplying them by ones. That instruction takes
// signed numbers, so it flips the sign bit and corrects the sum at the end.
func ints16AVX512(b []byte, bias uint64, bigEndian bool) (low, high, sum, sum32 uint64) {
	flip := archsimd.BroadcastUint16x32(uint16(bias))
	sign := archsimd.BroadcastUint16x32(1 << 15)
	ones := archsimd.BroadcastInt16x32(1)
	swapped := archsimd.LoadInt8x64Array(&byteSwap[1])
	least := archsimd.BroadcastUint16x32(0xffff)
	var greatest archsimd.Uint16x32
	var sum0, sum1 archsimd.Int32x16
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+stepBytes <= len(b); i += stepBytes {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint16x32Array((*[32]uint16)(p))
		v1 := archsimd.LoadUint16x32Array((*[32]uint16)(unsafe.Add(p, 64)))
		if bigEndian {
			v0 = v0.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint16s()
			v1 = v1.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint16s()
		}
		v0 = v0.Xor(flip)
		v1 = v1.Xor(flip)
		least = least.Min(v0.Min(v1))
		greatest = greatest.Max(v0.Max(v1))
		sum0 = sum0.Add(v0.Xor(sign).BitsToInt16().DotProductPairs(ones))
		sum1 = sum1.Add(v1.Xor(sign).BitsToInt16().DotProductPairs(ones))
	}
	var lows, highs [32]uint16
	var sums0, sums1 [16]int32
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	sum0.StoreArray(&sums0)
	sum1.StoreArray(&sums1)
	archsimd.ClearAVXUpperBits()
	sum = total(sums0[:]) + total(sums1[:]) + uint64(len(b)/2)<<15
	return uint64(slices.Min(lows[:])), uint64(slices.Max(highs[:])), sum, 0
}

// ints32AVX512 adds the even and the odd values to lanes of 64 bits.
func ints32AVX512(b []byte, bias uint64, bigEndian bool) (low, high, sum, sum32 uint64) {
	flip := archsimd.BroadcastUint32x16(uint32(bias))
	even := archsimd.BroadcastUint64x8(1<<32 - 1)
	swapped := archsimd.LoadInt8x64Array(&byteSwap[2])
	least := archsimd.BroadcastUint32x16(1<<32 - 1)
	var greatest archsimd.Uint32x16
	var sum0, sum1 archsimd.Uint64x8
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+stepBytes <= len(b); i += stepBytes {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint32x16Array((*[16]uint32)(p))
		v1 := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(p, 64)))
		if bigEndian {
			v0 = v0.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint32s()
			v1 = v1.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint32s()
		}
		v0 = v0.Xor(flip)
		v1 = v1.Xor(flip)
		least = least.Min(v0.Min(v1))
		greatest = greatest.Max(v0.Max(v1))
		w0, w1 := v0.ReshapeToUint64s(), v1.ReshapeToUint64s()
		sum0 = sum0.Add(w0.And(even)).Add(w0.ShiftAllRight(32))
		sum1 = sum1.Add(w1.And(even)).Add(w1.ShiftAllRight(32))
	}
	var lows, highs [16]uint32
	var sums [8]uint64
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	sum0.Add(sum1).StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	return uint64(slices.Min(lows[:])), uint64(slices.Max(highs[:])), total(sums[:]), 0
}

// ints64AVX512 adds the lower and the upper halves separately.
func ints64AVX512(b []byte, bias uint64, bigEndian bool) (low, high, sum, sum32 uint64) {
	flip := archsimd.BroadcastUint64x8(bias)
	lower := archsimd.BroadcastUint64x8(1<<32 - 1)
	swapped := archsimd.LoadInt8x64Array(&byteSwap[3])
	least := archsimd.BroadcastUint64x8(1<<64 - 1)
	var greatest, lanes, lanes32 archsimd.Uint64x8
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+stepBytes <= len(b); i += stepBytes {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint64x8Array((*[8]uint64)(p))
		v1 := archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 64)))
		if bigEndian {
			v0 = v0.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
			v1 = v1.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
		}
		v0 = v0.Xor(flip)
		v1 = v1.Xor(flip)
		least = least.Min(v0.Min(v1))
		greatest = greatest.Max(v0.Max(v1))
		lanes = lanes.Add(v0.And(lower)).Add(v1.And(lower))
		lanes32 = lanes32.Add(v0.ShiftAllRight(32)).Add(v1.ShiftAllRight(32))
	}
	var lows, highs, sums, sums32 [8]uint64
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	lanes.StoreArray(&sums)
	lanes32.StoreArray(&sums32)
	archsimd.ClearAVXUpperBits()
	return slices.Min(lows[:]), slices.Max(highs[:]), total(sums[:]), total(sums32[:])
}

// decode32AVX512 finds the smallest magnitude other than zero by subtracting 1, which makes zero
// the greatest.
func decode32AVX512(x []float64, b []byte, bigEndian bool) (low, high int32, sum float64, smallest uint32) {
	magnitude := archsimd.BroadcastUint32x16(1<<31 - 1)
	one := archsimd.BroadcastUint32x16(1)
	swapped := archsimd.LoadInt8x64Array(&byteSwap[2])
	least := archsimd.BroadcastInt32x16(1<<31 - 1)
	greatest := archsimd.BroadcastInt32x16(-1 << 31)
	small := archsimd.BroadcastUint32x16(1<<32 - 1)
	var sum0, sum1, sum2, sum3 archsimd.Float64x8
	from, to := unsafe.Pointer(unsafe.SliceData(b)), unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+stepBytes <= len(b); i += stepBytes {
		p, q := unsafe.Add(from, i), unsafe.Add(to, 2*i)
		v0 := archsimd.LoadUint32x16Array((*[16]uint32)(p))
		v1 := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(p, 64)))
		if bigEndian {
			v0 = v0.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint32s()
			v1 = v1.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint32s()
		}
		f0 := v0.BitsToFloat32().GetLo().ConvertToFloat64()
		f1 := v0.BitsToFloat32().GetHi().ConvertToFloat64()
		f2 := v1.BitsToFloat32().GetLo().ConvertToFloat64()
		f3 := v1.BitsToFloat32().GetHi().ConvertToFloat64()
		f0.StoreArray((*[8]float64)(q))
		f1.StoreArray((*[8]float64)(unsafe.Add(q, 64)))
		f2.StoreArray((*[8]float64)(unsafe.Add(q, 128)))
		f3.StoreArray((*[8]float64)(unsafe.Add(q, 192)))
		sum0, sum1, sum2, sum3 = sum0.Add(f0), sum1.Add(f1), sum2.Add(f2), sum3.Add(f3)
		small = small.Min(v0.And(magnitude).Sub(one).Min(v1.And(magnitude).Sub(one)))
		k0 := v0.Xor(v0.BitsToInt32().ShiftAllRight(31).ToBits().And(magnitude)).BitsToInt32()
		k1 := v1.Xor(v1.BitsToInt32().ShiftAllRight(31).ToBits().And(magnitude)).BitsToInt32()
		least = least.Min(k0.Min(k1))
		greatest = greatest.Max(k0.Max(k1))
	}
	var lows, highs [16]int32
	var smalls [16]uint32
	var sums [8]float64
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	small.StoreArray(&smalls)
	sum0.Add(sum1).Add(sum2.Add(sum3)).StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	for i := range sums {
		sum += sums[i]
	}
	return slices.Min(lows[:]), slices.Max(highs[:]), sum, slices.Min(smalls[:]) + 1
}

func add16AVX512(b []byte, bfloat, bigEndian bool) (low, high int16, sum float64, smallest uint16) {
	magnitude := archsimd.BroadcastUint16x32(1<<15 - 1)
	one := archsimd.BroadcastUint16x32(1)
	upper := archsimd.BroadcastUint32x16(0xffff << 16)
	fields := archsimd.BroadcastUint32x16(half32)
	swapped := archsimd.LoadInt8x64Array(&byteSwap[1])
	least := archsimd.BroadcastInt16x32(1<<15 - 1)
	greatest := archsimd.BroadcastInt16x32(-1 << 15)
	small := archsimd.BroadcastUint16x32(1<<16 - 1)
	var sum0, sum1, sum2, sum3 archsimd.Float64x8
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+64 <= len(b); i += 64 {
		v := archsimd.LoadUint16x32Array((*[32]uint16)(unsafe.Add(base, i)))
		if bigEndian {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint16s()
		}
		even := v.ReshapeToUint32s().ShiftAllLeft(16)
		odd := v.ReshapeToUint32s().And(upper)
		if !bfloat {
			even = even.BitsToInt32().ShiftAllRight(3).ToBits().And(fields)
			odd = odd.BitsToInt32().ShiftAllRight(3).ToBits().And(fields)
		}
		sum0 = sum0.Add(even.BitsToFloat32().GetLo().ConvertToFloat64())
		sum1 = sum1.Add(even.BitsToFloat32().GetHi().ConvertToFloat64())
		sum2 = sum2.Add(odd.BitsToFloat32().GetLo().ConvertToFloat64())
		sum3 = sum3.Add(odd.BitsToFloat32().GetHi().ConvertToFloat64())
		small = small.Min(v.And(magnitude).Sub(one))
		key := v.Xor(v.BitsToInt16().ShiftAllRight(15).ToBits().And(magnitude)).BitsToInt16()
		least = least.Min(key)
		greatest = greatest.Max(key)
	}
	var lows, highs [32]int16
	var smalls [32]uint16
	var sums [8]float64
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	small.StoreArray(&smalls)
	sum0.Add(sum1).Add(sum2.Add(sum3)).StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	for i := range sums {
		sum += sums[i]
	}
	return slices.Min(lows[:]), slices.Max(highs[:]), sum, slices.Min(smalls[:]) + 1
}

func sum16AVX512(b []byte, bf16, swap bool, start float32) (ul, uh uint16, sl, sh int16, sum float64) {
	upper := archsimd.BroadcastUint32x16(0xffff << 16)
	fields := archsimd.BroadcastUint32x16(half32)
	swapped := archsimd.LoadInt8x64Array(&byteSwap[1])
	least := archsimd.BroadcastUint16x32(1<<16 - 1)
	signedLeast := archsimd.BroadcastInt16x32(1<<15 - 1)
	signedGreatest := archsimd.BroadcastInt16x32(-1 << 15)
	var greatest archsimd.Uint16x32
	begin := archsimd.BroadcastFloat32x16(start)
	acc0, acc1 := begin, begin
	var rest0, rest1 archsimd.Float32x16
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+64 <= len(b); i += 64 {
		v := archsimd.LoadUint16x32Array((*[32]uint16)(unsafe.Add(base, i)))
		if swap {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint16s()
		}
		even := v.ReshapeToUint32s().ShiftAllLeft(16)
		odd := v.ReshapeToUint32s().And(upper)
		if !bf16 {
			even = even.BitsToInt32().ShiftAllRight(3).ToBits().And(fields)
			odd = odd.BitsToInt32().ShiftAllRight(3).ToBits().And(fields)
		}
		x0, x1 := even.BitsToFloat32(), odd.BitsToFloat32()
		next0, next1 := acc0.Add(x0), acc1.Add(x1)
		rest0 = rest0.Add(x0.Sub(next0.Sub(acc0)))
		rest1 = rest1.Add(x1.Sub(next1.Sub(acc1)))
		acc0, acc1 = next0, next1
		least = least.Min(v)
		greatest = greatest.Max(v)
		signedLeast = signedLeast.Min(v.BitsToInt16())
		signedGreatest = signedGreatest.Max(v.BitsToInt16())
	}
	acc0, acc1 = acc0.Sub(begin), acc1.Sub(begin)
	accs := acc0.GetLo().ConvertToFloat64().Add(acc0.GetHi().ConvertToFloat64())
	accs = accs.Add(acc1.GetLo().ConvertToFloat64().Add(acc1.GetHi().ConvertToFloat64()))
	rests := rest0.GetLo().ConvertToFloat64().Add(rest0.GetHi().ConvertToFloat64())
	rests = rests.Add(rest1.GetLo().ConvertToFloat64().Add(rest1.GetHi().ConvertToFloat64()))
	var lows, highs [32]uint16
	var signedLows, signedHighs [32]int16
	var sums [8]float64
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	signedLeast.StoreArray(&signedLows)
	signedGreatest.StoreArray(&signedHighs)
	accs.Add(rests).StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	for i := range sums {
		sum += sums[i]
	}
	return slices.Min(lows[:]), slices.Max(highs[:]), slices.Min(signedLows[:]), slices.Max(signedHighs[:]), sum
}

func decode64AVX512(x []float64, b []byte, bigEndian bool) (low, high int64) {
	magnitude := archsimd.BroadcastUint64x8(1<<63 - 1)
	swapped := archsimd.LoadInt8x64Array(&byteSwap[3])
	least := archsimd.BroadcastInt64x8(1<<63 - 1)
	greatest := archsimd.BroadcastInt64x8(-1 << 63)
	from, to := unsafe.Pointer(unsafe.SliceData(b)), unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+stepBytes <= len(b); i += stepBytes {
		p, q := unsafe.Add(from, i), unsafe.Add(to, i)
		v0 := archsimd.LoadUint64x8Array((*[8]uint64)(p))
		v1 := archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, 64)))
		if bigEndian {
			v0 = v0.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
			v1 = v1.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
		}
		v0.StoreArray((*[8]uint64)(q))
		v1.StoreArray((*[8]uint64)(unsafe.Add(q, 64)))
		k0 := v0.Xor(v0.BitsToInt64().ShiftAllRight(63).ToBits().And(magnitude)).BitsToInt64()
		k1 := v1.Xor(v1.BitsToInt64().ShiftAllRight(63).ToBits().And(magnitude)).BitsToInt64()
		least = least.Min(k0.Min(k1))
		greatest = greatest.Max(k0.Max(k1))
	}
	var lows, highs [8]int64
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	archsimd.ClearAVXUpperBits()
	return slices.Min(lows[:]), slices.Max(highs[:])
}

func withoutNaNAVX512(x []float64) (nan int, low, high int64) {
	magnitude := archsimd.BroadcastUint64x8(1<<63 - 1)
	least := archsimd.BroadcastInt64x8(1<<63 - 1)
	greatest := archsimd.BroadcastInt64x8(-1 << 63)
	var count archsimd.Int64x8 // of the others, as a negative number
	base := unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+8 <= len(x); i += 8 {
		p := (*[8]float64)(unsafe.Add(base, 8*i))
		v := archsimd.LoadFloat64x8Array(p)
		number := v.Equal(v)
		v.Masked(number).StoreArray(p)
		raw := v.ToBits()
		key := raw.Xor(raw.BitsToInt64().ShiftAllRight(63).ToBits().And(magnitude)).BitsToInt64()
		least = least.Min(key.IfElse(number, least))
		greatest = greatest.Max(key.IfElse(number, greatest))
		count = count.Add(number.ToInt64x8())
	}
	var lows, highs, counts [8]int64
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	count.StoreArray(&counts)
	archsimd.ClearAVXUpperBits()
	return len(x) + int(total(counts[:])), slices.Min(lows[:]), slices.Max(highs[:])
}

// peelAVX512 has four accumulators with 32 lanes, one for each value of a step.
func peelAVX512(x []float64, start float64) (sum float64, remains bool) {
	first := archsimd.BroadcastFloat64x8(start)
	acc0, acc1, acc2, acc3 := first, first, first, first
	var set archsimd.Uint64x8
	base := unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+stepValues <= len(x); i += stepValues {
		p0 := unsafe.Add(base, 8*i)
		p1, p2, p3 := unsafe.Add(p0, 64), unsafe.Add(p0, 128), unsafe.Add(p0, 192)
		v0 := archsimd.LoadFloat64x8Array((*[8]float64)(p0))
		v1 := archsimd.LoadFloat64x8Array((*[8]float64)(p1))
		v2 := archsimd.LoadFloat64x8Array((*[8]float64)(p2))
		v3 := archsimd.LoadFloat64x8Array((*[8]float64)(p3))
		t0, t1, t2, t3 := acc0.Add(v0), acc1.Add(v1), acc2.Add(v2), acc3.Add(v3)
		v0 = v0.Sub(t0.Sub(acc0))
		v1 = v1.Sub(t1.Sub(acc1))
		v2 = v2.Sub(t2.Sub(acc2))
		v3 = v3.Sub(t3.Sub(acc3))
		acc0, acc1, acc2, acc3 = t0, t1, t2, t3
		v0.StoreArray((*[8]float64)(p0))
		v1.StoreArray((*[8]float64)(p1))
		v2.StoreArray((*[8]float64)(p2))
		v3.StoreArray((*[8]float64)(p3))
		set = set.Or(v0.ToBits()).Or(v1.ToBits()).Or(v2.ToBits().Or(v3.ToBits()))
	}
	var zero archsimd.Uint64x8
	remains = set.ShiftAllLeft(1).NotEqual(zero).ToBits() != 0 // a zero may have a sign
	var sums [8]float64
	acc0.Sub(first).Add(acc1.Sub(first)).Add(acc2.Sub(first).Add(acc3.Sub(first))).StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	for i := range sums {
		sum += sums[i]
	}
	return sum, remains
}

// addLayerAVX512 is peelAVX512, but only reports whether a value differs from the part of it that
// was added, other than in the sign of a zero.
func addLayerAVX512(x []float64, start float64) (sum float64, remains bool) {
	first := archsimd.BroadcastFloat64x8(start)
	acc0, acc1, acc2, acc3 := first, first, first, first
	var set0, set1, set2, set3 archsimd.Uint64x8
	base := unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+stepValues <= len(x); i += stepValues {
		p := unsafe.Add(base, 8*i)
		v0 := archsimd.LoadFloat64x8Array((*[8]float64)(p))
		v1 := archsimd.LoadFloat64x8Array((*[8]float64)(unsafe.Add(p, 64)))
		v2 := archsimd.LoadFloat64x8Array((*[8]float64)(unsafe.Add(p, 128)))
		v3 := archsimd.LoadFloat64x8Array((*[8]float64)(unsafe.Add(p, 192)))
		t0, t1, t2, t3 := acc0.Add(v0), acc1.Add(v1), acc2.Add(v2), acc3.Add(v3)
		set0 = set0.Or(v0.ToBits().Xor(t0.Sub(acc0).ToBits()))
		set1 = set1.Or(v1.ToBits().Xor(t1.Sub(acc1).ToBits()))
		set2 = set2.Or(v2.ToBits().Xor(t2.Sub(acc2).ToBits()))
		set3 = set3.Or(v3.ToBits().Xor(t3.Sub(acc3).ToBits()))
		acc0, acc1, acc2, acc3 = t0, t1, t2, t3
	}
	var zero archsimd.Uint64x8
	remains = set0.Or(set1).Or(set2.Or(set3)).ShiftAllLeft(1).NotEqual(zero).ToBits() != 0
	var sums [8]float64
	acc0.Sub(first).Add(acc1.Sub(first)).Add(acc2.Sub(first).Add(acc3.Sub(first))).StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	for i := range sums {
		sum += sums[i]
	}
	return sum, remains
}
