//go:build goexperiment.simd && amd64

package stats

import (
	"simd/archsimd"
	"slices"
	"unsafe"
)

// ints8AVX2 adds eight bytes at once to a lane, as absolute differences from zero.
func ints8AVX2(b []byte, bias uint64, _ bool) (low, high, sum, sum32 uint64) {
	flip := archsimd.BroadcastUint8x32(uint8(bias))
	least := archsimd.BroadcastUint8x32(0xff)
	var zero, greatest archsimd.Uint8x32
	var sum0, sum1 archsimd.Uint64x4
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+64 <= len(b); i += 64 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint8x32Array((*[32]uint8)(p)).Xor(flip)
		v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32))).Xor(flip)
		least = least.Min(v0.Min(v1))
		greatest = greatest.Max(v0.Max(v1))
		sum0 = sum0.Add(v0.SumOf8AbsDiff(zero))
		sum1 = sum1.Add(v1.SumOf8AbsDiff(zero))
	}
	var lows, highs [32]uint8
	var sums [4]uint64
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	sum0.Add(sum1).StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	return uint64(slices.Min(lows[:])), uint64(slices.Max(highs[:])), total(sums[:]), 0
}

// ints16AVX2 adds pairs to lanes of 32 bits by multiplying them by ones. That instruction takes
// signed numbers, so it flips the sign bit and corrects the sum at the end.
func ints16AVX2(b []byte, bias uint64, bigEndian bool) (low, high, sum, sum32 uint64) {
	flip := archsimd.BroadcastUint16x16(uint16(bias))
	sign := archsimd.BroadcastUint16x16(1 << 15)
	ones := archsimd.BroadcastInt16x16(1)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[1][:]))
	least := archsimd.BroadcastUint16x16(0xffff)
	var greatest archsimd.Uint16x16
	var sum0, sum1 archsimd.Int32x8
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+64 <= len(b); i += 64 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint16x16Array((*[16]uint16)(p))
		v1 := archsimd.LoadUint16x16Array((*[16]uint16)(unsafe.Add(p, 32)))
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
	var lows, highs [16]uint16
	var sums0, sums1 [8]int32
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	sum0.StoreArray(&sums0)
	sum1.StoreArray(&sums1)
	archsimd.ClearAVXUpperBits()
	sum = total(sums0[:]) + total(sums1[:]) + uint64(len(b)/2)<<15
	return uint64(slices.Min(lows[:])), uint64(slices.Max(highs[:])), sum, 0
}

// ints32AVX2 adds the even and the odd values to lanes of 64 bits.
func ints32AVX2(b []byte, bias uint64, bigEndian bool) (low, high, sum, sum32 uint64) {
	flip := archsimd.BroadcastUint32x8(uint32(bias))
	even := archsimd.BroadcastUint64x4(1<<32 - 1)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[2][:]))
	least := archsimd.BroadcastUint32x8(1<<32 - 1)
	var greatest archsimd.Uint32x8
	var sum0, sum1 archsimd.Uint64x4
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+64 <= len(b); i += 64 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint32x8Array((*[8]uint32)(p))
		v1 := archsimd.LoadUint32x8Array((*[8]uint32)(unsafe.Add(p, 32)))
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
	var lows, highs [8]uint32
	var sums [4]uint64
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	sum0.Add(sum1).StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	return uint64(slices.Min(lows[:])), uint64(slices.Max(highs[:])), total(sums[:]), 0
}

// ints64AVX2 adds the lower and the upper halves separately. AVX2 compares only signed numbers, so
// it finds the minimum and the maximum with the sign bit flipped.
func ints64AVX2(b []byte, bias uint64, bigEndian bool) (low, high, sum, sum32 uint64) {
	flip := archsimd.BroadcastUint64x4(bias)
	sign := archsimd.BroadcastUint64x4(signBit)
	lower := archsimd.BroadcastUint64x4(1<<32 - 1)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[3][:]))
	least := archsimd.BroadcastInt64x4(1<<63 - 1)
	greatest := archsimd.BroadcastInt64x4(-1 << 63)
	var lanes, lanes32 archsimd.Uint64x4
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+64 <= len(b); i += 64 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint64x4Array((*[4]uint64)(p))
		v1 := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 32)))
		if bigEndian {
			v0 = v0.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
			v1 = v1.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
		}
		v0 = v0.Xor(flip)
		v1 = v1.Xor(flip)
		s0, s1 := v0.Xor(sign).BitsToInt64(), v1.Xor(sign).BitsToInt64()
		least = s0.IfElse(least.Greater(s0), least)
		greatest = s0.IfElse(s0.Greater(greatest), greatest)
		least = s1.IfElse(least.Greater(s1), least)
		greatest = s1.IfElse(s1.Greater(greatest), greatest)
		lanes = lanes.Add(v0.And(lower)).Add(v1.And(lower))
		lanes32 = lanes32.Add(v0.ShiftAllRight(32)).Add(v1.ShiftAllRight(32))
	}
	var lows, highs [4]int64
	var sums, sums32 [4]uint64
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	lanes.StoreArray(&sums)
	lanes32.StoreArray(&sums32)
	archsimd.ClearAVXUpperBits()
	low, high = uint64(slices.Min(lows[:]))^signBit, uint64(slices.Max(highs[:]))^signBit
	return low, high, total(sums[:]), total(sums32[:])
}

// decode32AVX2 finds the smallest magnitude other than zero by subtracting 1, which makes zero the
// greatest.
func decode32AVX2(x []float64, b []byte, bigEndian bool) (low, high int32, sum float64, smallest uint32) {
	magnitude := archsimd.BroadcastUint32x8(1<<31 - 1)
	one := archsimd.BroadcastUint32x8(1)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[2][:]))
	least := archsimd.BroadcastInt32x8(1<<31 - 1)
	greatest := archsimd.BroadcastInt32x8(-1 << 31)
	small := archsimd.BroadcastUint32x8(1<<32 - 1)
	var sum0, sum1 archsimd.Float64x4
	from, to := unsafe.Pointer(unsafe.SliceData(b)), unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+32 <= len(b); i += 32 {
		v := archsimd.LoadUint32x8Array((*[8]uint32)(unsafe.Add(from, i)))
		if bigEndian {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint32s()
		}
		q := unsafe.Add(to, 2*i)
		f0 := v.BitsToFloat32().GetLo().ConvertToFloat64()
		f1 := v.BitsToFloat32().GetHi().ConvertToFloat64()
		f0.StoreArray((*[4]float64)(q))
		f1.StoreArray((*[4]float64)(unsafe.Add(q, 32)))
		sum0, sum1 = sum0.Add(f0), sum1.Add(f1)
		small = small.Min(v.And(magnitude).Sub(one))
		key := v.Xor(v.BitsToInt32().ShiftAllRight(31).ToBits().And(magnitude)).BitsToInt32()
		least = least.Min(key)
		greatest = greatest.Max(key)
	}
	var lows, highs [8]int32
	var smalls [8]uint32
	var sums [4]float64
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	small.StoreArray(&smalls)
	sum0.Add(sum1).StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	sum = sums[0] + sums[1] + (sums[2] + sums[3])
	return slices.Min(lows[:]), slices.Max(highs[:]), sum, slices.Min(smalls[:]) + 1
}

func add16AVX2(b []byte, bfloat, bigEndian bool) (low, high int16, sum float64, smallest uint16) {
	magnitude := archsimd.BroadcastUint16x16(1<<15 - 1)
	one := archsimd.BroadcastUint16x16(1)
	upper := archsimd.BroadcastUint32x8(0xffff << 16)
	fields := archsimd.BroadcastUint32x8(half32)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[1][:]))
	least := archsimd.BroadcastInt16x16(1<<15 - 1)
	greatest := archsimd.BroadcastInt16x16(-1 << 15)
	small := archsimd.BroadcastUint16x16(1<<16 - 1)
	var sum0, sum1, sum2, sum3 archsimd.Float64x4
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+32 <= len(b); i += 32 {
		v := archsimd.LoadUint16x16Array((*[16]uint16)(unsafe.Add(base, i)))
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
	var lows, highs [16]int16
	var smalls [16]uint16
	var sums [4]float64
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

func sum16AVX2(b []byte, bf16, swap bool, start float32) (ul, uh uint16, sl, sh int16, sum float64) {
	upper := archsimd.BroadcastUint32x8(0xffff << 16)
	fields := archsimd.BroadcastUint32x8(half32)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[1][:]))
	least := archsimd.BroadcastUint16x16(1<<16 - 1)
	signedLeast := archsimd.BroadcastInt16x16(1<<15 - 1)
	signedGreatest := archsimd.BroadcastInt16x16(-1 << 15)
	var greatest archsimd.Uint16x16
	begin := archsimd.BroadcastFloat32x8(start)
	acc0, acc1 := begin, begin
	var rest0, rest1 archsimd.Float32x8
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+32 <= len(b); i += 32 {
		v := archsimd.LoadUint16x16Array((*[16]uint16)(unsafe.Add(base, i)))
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
	var lows, highs [16]uint16
	var signedLows, signedHighs [16]int16
	var sums [4]float64
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

func decode64AVX2(x []float64, b []byte, bigEndian bool) (low, high int64) {
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[3][:]))
	least := archsimd.BroadcastInt64x4(1<<63 - 1)
	greatest := archsimd.BroadcastInt64x4(-1 << 63)
	var zero archsimd.Int64x4
	from, to := unsafe.Pointer(unsafe.SliceData(b)), unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+32 <= len(b); i += 32 {
		v := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(from, i)))
		if bigEndian {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
		}
		v.StoreArray((*[4]uint64)(unsafe.Add(to, i)))
		negative := zero.Greater(v.BitsToInt64()).ToInt64x4().ToBits()
		key := v.Xor(negative.ShiftAllRight(1)).BitsToInt64()
		least = key.IfElse(least.Greater(key), least)
		greatest = key.IfElse(key.Greater(greatest), greatest)
	}
	var lows, highs [4]int64
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	archsimd.ClearAVXUpperBits()
	return slices.Min(lows[:]), slices.Max(highs[:])
}

func withoutNaNAVX2(x []float64) (nan int, low, high int64) {
	least := archsimd.BroadcastInt64x4(1<<63 - 1)
	greatest := archsimd.BroadcastInt64x4(-1 << 63)
	var zero, count archsimd.Int64x4 // count is of the others, as a negative number
	base := unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+4 <= len(x); i += 4 {
		p := (*[4]float64)(unsafe.Add(base, 8*i))
		v := archsimd.LoadFloat64x4Array(p)
		number := v.Equal(v)
		v.Masked(number).StoreArray(p)
		raw := v.ToBits()
		negative := zero.Greater(raw.BitsToInt64()).ToInt64x4().ToBits()
		key := raw.Xor(negative.ShiftAllRight(1)).BitsToInt64()
		key = key.IfElse(number, least)
		least = key.IfElse(least.Greater(key), least)
		key = key.IfElse(number, greatest)
		greatest = key.IfElse(key.Greater(greatest), greatest)
		count = count.Add(number.ToInt64x4())
	}
	var lows, highs, counts [4]int64
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	count.StoreArray(&counts)
	archsimd.ClearAVXUpperBits()
	return len(x) + int(total(counts[:])), slices.Min(lows[:]), slices.Max(highs[:])
}

// peelAVX2 has four accumulators, 16 lanes.
func peelAVX2(x []float64, start float64) (sum float64, remains bool) {
	first := archsimd.BroadcastFloat64x4(start)
	acc0, acc1, acc2, acc3 := first, first, first, first
	var set archsimd.Uint64x4
	base := unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+16 <= len(x); i += 16 {
		p0 := unsafe.Add(base, 8*i)
		p1, p2, p3 := unsafe.Add(p0, 32), unsafe.Add(p0, 64), unsafe.Add(p0, 96)
		v0 := archsimd.LoadFloat64x4Array((*[4]float64)(p0))
		v1 := archsimd.LoadFloat64x4Array((*[4]float64)(p1))
		v2 := archsimd.LoadFloat64x4Array((*[4]float64)(p2))
		v3 := archsimd.LoadFloat64x4Array((*[4]float64)(p3))
		t0, t1, t2, t3 := acc0.Add(v0), acc1.Add(v1), acc2.Add(v2), acc3.Add(v3)
		v0 = v0.Sub(t0.Sub(acc0))
		v1 = v1.Sub(t1.Sub(acc1))
		v2 = v2.Sub(t2.Sub(acc2))
		v3 = v3.Sub(t3.Sub(acc3))
		acc0, acc1, acc2, acc3 = t0, t1, t2, t3
		v0.StoreArray((*[4]float64)(p0))
		v1.StoreArray((*[4]float64)(p1))
		v2.StoreArray((*[4]float64)(p2))
		v3.StoreArray((*[4]float64)(p3))
		set = set.Or(v0.ToBits()).Or(v1.ToBits()).Or(v2.ToBits().Or(v3.ToBits()))
	}
	remains = !set.ShiftAllLeft(1).IsZero() // a zero may have a sign
	var sums [4]float64
	acc0.Sub(first).Add(acc1.Sub(first)).Add(acc2.Sub(first).Add(acc3.Sub(first))).StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	return sums[0] + sums[1] + (sums[2] + sums[3]), remains
}

// peelFourAVX2 has an accumulator per layer: while an addition to one waits for that before it,
// others go on. A lane adds 256 values.
func peelFourAVX2(x []float64, starts, sums *[4]float64) (remains bool) {
	first0, first1 := archsimd.BroadcastFloat64x4(starts[0]), archsimd.BroadcastFloat64x4(starts[1])
	first2, first3 := archsimd.BroadcastFloat64x4(starts[2]), archsimd.BroadcastFloat64x4(starts[3])
	acc0, acc1, acc2, acc3 := first0, first1, first2, first3
	var set archsimd.Uint64x4
	base := unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+4 <= len(x); i += 4 {
		p := (*[4]float64)(unsafe.Add(base, 8*i))
		v := archsimd.LoadFloat64x4Array(p)
		t := acc0.Add(v)
		v = v.Sub(t.Sub(acc0))
		acc0 = t
		t = acc1.Add(v)
		v = v.Sub(t.Sub(acc1))
		acc1 = t
		t = acc2.Add(v)
		v = v.Sub(t.Sub(acc2))
		acc2 = t
		t = acc3.Add(v)
		v = v.Sub(t.Sub(acc3))
		acc3 = t
		v.StoreArray(p)
		set = set.Or(v.ToBits())
	}
	remains = !set.ShiftAllLeft(1).IsZero() // a zero may have a sign
	var lanes [4][4]float64
	acc0.Sub(first0).StoreArray(&lanes[0])
	acc1.Sub(first1).StoreArray(&lanes[1])
	acc2.Sub(first2).StoreArray(&lanes[2])
	acc3.Sub(first3).StoreArray(&lanes[3])
	archsimd.ClearAVXUpperBits()
	sums[0] = lanes[0][0] + lanes[0][1] + (lanes[0][2] + lanes[0][3])
	sums[1] = lanes[1][0] + lanes[1][1] + (lanes[1][2] + lanes[1][3])
	sums[2] = lanes[2][0] + lanes[2][1] + (lanes[2][2] + lanes[2][3])
	sums[3] = lanes[3][0] + lanes[3][1] + (lanes[3][2] + lanes[3][3])
	return remains
}

// addLayerAVX2 is peelAVX2, but only reports whether a value differs from the part of it that was
// added, other than in the sign of a zero.
func addLayerAVX2(x []float64, start float64) (sum float64, remains bool) {
	first := archsimd.BroadcastFloat64x4(start)
	acc0, acc1, acc2, acc3 := first, first, first, first
	var set0, set1 archsimd.Uint64x4
	base := unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+16 <= len(x); i += 16 {
		p := unsafe.Add(base, 8*i)
		v0 := archsimd.LoadFloat64x4Array((*[4]float64)(p))
		v1 := archsimd.LoadFloat64x4Array((*[4]float64)(unsafe.Add(p, 32)))
		v2 := archsimd.LoadFloat64x4Array((*[4]float64)(unsafe.Add(p, 64)))
		v3 := archsimd.LoadFloat64x4Array((*[4]float64)(unsafe.Add(p, 96)))
		t0, t1, t2, t3 := acc0.Add(v0), acc1.Add(v1), acc2.Add(v2), acc3.Add(v3)
		set0 = set0.Or(v0.ToBits().Xor(t0.Sub(acc0).ToBits()))
		set1 = set1.Or(v1.ToBits().Xor(t1.Sub(acc1).ToBits()))
		set0 = set0.Or(v2.ToBits().Xor(t2.Sub(acc2).ToBits()))
		set1 = set1.Or(v3.ToBits().Xor(t3.Sub(acc3).ToBits()))
		acc0, acc1, acc2, acc3 = t0, t1, t2, t3
	}
	remains = !set0.Or(set1).ShiftAllLeft(1).IsZero()
	var sums [4]float64
	acc0.Sub(first).Add(acc1.Sub(first)).Add(acc2.Sub(first).Add(acc3.Sub(first))).StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	return sums[0] + sums[1] + (sums[2] + sums[3]), remains
}
