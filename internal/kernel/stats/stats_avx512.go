//go:build goexperiment.simd && amd64

package stats

import (
	"simd/archsimd"
	"slices"
	"unsafe"
)

//gen:also swap64AVX512 swap16AVX2 swap32AVX2 swap64AVX2
func swap16AVX512(v archsimd.Uint16x32, swapped archsimd.Int8x64) archsimd.Uint16x32 {
	return v.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint16s()
}

//gen:also lowerAVX2
func lowerAVX512(v archsimd.Float32x16) archsimd.Float64x8 { return v.GetLo().ConvertToFloat64() }

//gen:also upperAVX2
func upperAVX512(v archsimd.Float32x16) archsimd.Float64x8 { return v.GetHi().ConvertToFloat64() }

// ints8AVX512 adds eight bytes at once to a lane, as absolute differences from zero.
//
//gen:also ints8AVX2
func ints8AVX512(b []byte, bias uint64, _ bool) (low, high, sum, sum32 uint64) {
	flip := archsimd.BroadcastUint8x64(uint8(bias))
	least := archsimd.BroadcastUint8x64(0xff)
	var zero, greatest archsimd.Uint8x64
	var sum0, sum1 archsimd.Uint64x8
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+2*bytesAVX512 <= len(b); i += 2 * bytesAVX512 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint8x64Array((*[64]uint8)(p)).Xor(flip)
		v1 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(p, bytesAVX512))).Xor(flip)
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
//
//gen:also ints16AVX2
func ints16AVX512(b []byte, bias uint64, bigEndian bool) (low, high, sum, sum32 uint64) {
	flip := archsimd.BroadcastUint16x32(uint16(bias))
	sign := archsimd.BroadcastUint16x32(1 << 15)
	ones := archsimd.BroadcastInt16x32(1)
	swapped := archsimd.LoadInt8x64Array((*[64]int8)(byteSwap[1][:]))
	least := archsimd.BroadcastUint16x32(0xffff)
	var greatest archsimd.Uint16x32
	var sum0, sum1 archsimd.Int32x16
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+2*bytesAVX512 <= len(b); i += 2 * bytesAVX512 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint16x32Array((*[32]uint16)(p))
		v1 := archsimd.LoadUint16x32Array((*[32]uint16)(unsafe.Add(p, bytesAVX512)))
		if bigEndian {
			v0 = swap16AVX512(v0, swapped)
			v1 = swap16AVX512(v1, swapped)
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

// ints64AVX512 adds the lower and the upper halves separately.
func ints64AVX512(b []byte, bias uint64, bigEndian bool) (low, high, sum, sum32 uint64) {
	flip := archsimd.BroadcastUint64x8(bias)
	lower := archsimd.BroadcastUint64x8(1<<32 - 1)
	swapped := archsimd.LoadInt8x64Array((*[64]int8)(byteSwap[3][:]))
	least := archsimd.BroadcastUint64x8(1<<64 - 1)
	var greatest, lanes, lanes32 archsimd.Uint64x8
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+2*bytesAVX512 <= len(b); i += 2 * bytesAVX512 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint64x8Array((*[8]uint64)(p))
		v1 := archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, bytesAVX512)))
		if bigEndian {
			v0 = swap64AVX512(v0, swapped)
			v1 = swap64AVX512(v1, swapped)
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

//gen:also add16AVX2 add16NEON
func add16AVX512(b []byte, bfloat, bigEndian bool) (low, high int16, sum float64, smallest uint16) {
	magnitude := archsimd.BroadcastUint16x32(1<<15 - 1)
	one := archsimd.BroadcastUint16x32(1)
	upper := archsimd.BroadcastUint32x16(0xffff << 16)
	fields := archsimd.BroadcastUint32x16(half32)
	swapped := archsimd.LoadInt8x64Array((*[64]int8)(byteSwap[1][:]))
	least := archsimd.BroadcastInt16x32(1<<15 - 1)
	greatest := archsimd.BroadcastInt16x32(-1 << 15)
	small := archsimd.BroadcastUint16x32(1<<16 - 1)
	var sum0, sum1, sum2, sum3 archsimd.Float64x8
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+bytesAVX512 <= len(b); i += bytesAVX512 {
		v := archsimd.LoadUint16x32Array((*[32]uint16)(unsafe.Add(base, i)))
		if bigEndian {
			v = swap16AVX512(v, swapped)
		}
		even := v.ReshapeToUint32s().ShiftAllLeft(16)
		odd := v.ReshapeToUint32s().And(upper)
		if !bfloat {
			even = even.BitsToInt32().ShiftAllRight(3).ToBits().And(fields)
			odd = odd.BitsToInt32().ShiftAllRight(3).ToBits().And(fields)
		}
		sum0 = sum0.Add(lowerAVX512(even.BitsToFloat32()))
		sum1 = sum1.Add(upperAVX512(even.BitsToFloat32()))
		sum2 = sum2.Add(lowerAVX512(odd.BitsToFloat32()))
		sum3 = sum3.Add(upperAVX512(odd.BitsToFloat32()))
		small = small.Min(v.And(magnitude).Sub(one))
		key := v.Xor(v.BitsToInt16().ShiftAllRight(15).ToBits().And(magnitude)).BitsToInt16()
		least = least.Min(key)
		greatest = greatest.Max(key)
	}
	return ends16AVX512(least, greatest, small, sum0.Add(sum1).Add(sum2.Add(sum3)))
}

//gen:also sum16AVX2 sum16NEON
func sum16AVX512(b []byte, bf16, swap bool, start float32) (ul, uh uint16, sl, sh int16, sum float64) {
	upper := archsimd.BroadcastUint32x16(0xffff << 16)
	fields := archsimd.BroadcastUint32x16(half32)
	swapped := archsimd.LoadInt8x64Array((*[64]int8)(byteSwap[1][:]))
	least := archsimd.BroadcastUint16x32(1<<16 - 1)
	signedLeast := archsimd.BroadcastInt16x32(1<<15 - 1)
	signedGreatest := archsimd.BroadcastInt16x32(-1 << 15)
	var greatest archsimd.Uint16x32
	begin := archsimd.BroadcastFloat32x16(start)
	acc0, acc1 := begin, begin
	var rest0, rest1 archsimd.Float32x16
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+bytesAVX512 <= len(b); i += bytesAVX512 {
		v := archsimd.LoadUint16x32Array((*[32]uint16)(unsafe.Add(base, i)))
		if swap {
			v = swap16AVX512(v, swapped)
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
	accs := lowerAVX512(acc0).Add(upperAVX512(acc0))
	accs = accs.Add(lowerAVX512(acc1).Add(upperAVX512(acc1)))
	rests := lowerAVX512(rest0).Add(upperAVX512(rest0))
	rests = rests.Add(lowerAVX512(rest1).Add(upperAVX512(rest1)))
	return bothEndsAVX512(least, greatest, signedLeast, signedGreatest, accs.Add(rests))
}

//gen:also decode64AVX2 decode64NEON
func decode64AVX512(x []float64, b []byte, bigEndian bool) (low, high int64) {
	swapped := archsimd.LoadInt8x64Array((*[64]int8)(byteSwap[3][:]))
	least := archsimd.BroadcastInt64x8(1<<63 - 1)
	greatest := archsimd.BroadcastInt64x8(-1 << 63)
	from, to := unsafe.Pointer(unsafe.SliceData(b)), unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+2*bytesAVX512 <= len(b); i += 2 * bytesAVX512 {
		p, q := unsafe.Add(from, i), unsafe.Add(to, i)
		v0 := archsimd.LoadUint64x8Array((*[8]uint64)(p))
		v1 := archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(p, bytesAVX512)))
		if bigEndian {
			v0 = swap64AVX512(v0, swapped)
			v1 = swap64AVX512(v1, swapped)
		}
		v0.StoreArray((*[8]uint64)(q))
		v1.StoreArray((*[8]uint64)(unsafe.Add(q, bytesAVX512)))
		k0, k1 := key64AVX512(v0), key64AVX512(v1)
		least, greatest = min64AVX512(least, k0), max64AVX512(greatest, k0)
		least, greatest = min64AVX512(least, k1), max64AVX512(greatest, k1)
	}
	return ends64AVX512(least, greatest)
}

//gen:also withoutNaNAVX2 withoutNaNNEON
func withoutNaNAVX512(x []float64) (nan int, low, high int64) {
	least := archsimd.BroadcastInt64x8(1<<63 - 1)
	greatest := archsimd.BroadcastInt64x8(-1 << 63)
	var count archsimd.Int64x8 // of the others, as a negative number
	base := unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+lanesAVX512 <= len(x); i += lanesAVX512 {
		p := (*[8]float64)(unsafe.Add(base, 8*i))
		v := archsimd.LoadFloat64x8Array(p)
		number := v.Equal(v)
		v.Masked(number).StoreArray(p)
		key := key64AVX512(v.ToBits())
		least = min64AVX512(least, key.IfElse(number, least))
		greatest = max64AVX512(greatest, key.IfElse(number, greatest))
		count = count.Add(number.ToInt64x8())
	}
	var counts [8]int64
	count.StoreArray(&counts)
	low, high = ends64AVX512(least, greatest)
	return len(x) + int(total(counts[:])), low, high
}

// peelAVX512 has four accumulators.
//
//gen:also peelAVX2 peelNEON
func peelAVX512(x []float64, start float64) (sum float64, remains bool) {
	first := archsimd.BroadcastFloat64x8(start)
	acc0, acc1, acc2, acc3 := first, first, first, first
	var set archsimd.Uint64x8
	base := unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+4*lanesAVX512 <= len(x); i += 4 * lanesAVX512 {
		p0 := unsafe.Add(base, 8*i)
		p1, p2, p3 := unsafe.Add(p0, bytesAVX512), unsafe.Add(p0, 2*bytesAVX512), unsafe.Add(p0, 3*bytesAVX512)
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
	remains = anyAVX512(set.ShiftAllLeft(1)) // a zero may have a sign
	sum = sumAVX512(acc0.Sub(first).Add(acc1.Sub(first)).Add(acc2.Sub(first).Add(acc3.Sub(first))))
	return sum, remains
}

// addLayerAVX512 is peelAVX512, but only reports whether a value differs from the part of it that
// was added, other than in the sign of a zero.
//
//gen:also addLayerAVX2 addLayerNEON
func addLayerAVX512(x []float64, start float64) (sum float64, remains bool) {
	first := archsimd.BroadcastFloat64x8(start)
	acc0, acc1, acc2, acc3 := first, first, first, first
	var set0, set1 archsimd.Uint64x8
	base := unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+4*lanesAVX512 <= len(x); i += 4 * lanesAVX512 {
		p := unsafe.Add(base, 8*i)
		v0 := archsimd.LoadFloat64x8Array((*[8]float64)(p))
		v1 := archsimd.LoadFloat64x8Array((*[8]float64)(unsafe.Add(p, bytesAVX512)))
		v2 := archsimd.LoadFloat64x8Array((*[8]float64)(unsafe.Add(p, 2*bytesAVX512)))
		v3 := archsimd.LoadFloat64x8Array((*[8]float64)(unsafe.Add(p, 3*bytesAVX512)))
		t0, t1, t2, t3 := acc0.Add(v0), acc1.Add(v1), acc2.Add(v2), acc3.Add(v3)
		set0 = set0.Or(v0.ToBits().Xor(t0.Sub(acc0).ToBits()))
		set1 = set1.Or(v1.ToBits().Xor(t1.Sub(acc1).ToBits()))
		set0 = set0.Or(v2.ToBits().Xor(t2.Sub(acc2).ToBits()))
		set1 = set1.Or(v3.ToBits().Xor(t3.Sub(acc3).ToBits()))
		acc0, acc1, acc2, acc3 = t0, t1, t2, t3
	}
	remains = anyAVX512(set0.Or(set1).ShiftAllLeft(1))
	sum = sumAVX512(acc0.Sub(first).Add(acc1.Sub(first)).Add(acc2.Sub(first).Add(acc3.Sub(first))))
	return sum, remains
}

// key64AVX512 returns the keys of floats. See extremesOf32.
//
//gen:also key64NEON
func key64AVX512(raw archsimd.Uint64x8) archsimd.Int64x8 {
	return raw.Xor(raw.BitsToInt64().ShiftAllRight(63).ToBits().ShiftAllRight(1)).BitsToInt64()
}

func min64AVX512(a, b archsimd.Int64x8) archsimd.Int64x8 { return a.Min(b) }

func max64AVX512(a, b archsimd.Int64x8) archsimd.Int64x8 { return a.Max(b) }

func anyAVX512(set archsimd.Uint64x8) bool {
	var zero archsimd.Uint64x8
	return set.NotEqual(zero).ToBits() != 0
}

// sumAVX512 adds up the lanes of the last vector in use.
//
//gen:also sumAVX2
func sumAVX512(v archsimd.Float64x8) (sum float64) {
	var lanes [8]float64
	v.StoreArray(&lanes)
	archsimd.ClearAVXUpperBits()
	for i := range lanes {
		sum += lanes[i]
	}
	return sum
}

// These return the minimum and the maximum of vectors, and the sum, and what else is in them. They
// are the last to use vectors.

//gen:also ends64AVX2
func ends64AVX512(least, greatest archsimd.Int64x8) (low, high int64) {
	var lows, highs [8]int64
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	archsimd.ClearAVXUpperBits()
	return slices.Min(lows[:]), slices.Max(highs[:])
}

//gen:also ends16AVX2
func ends16AVX512(least, greatest archsimd.Int16x32, small archsimd.Uint16x32,
	sums archsimd.Float64x8) (low, high int16, sum float64, smallest uint16) {
	var lows, highs [32]int16
	var smalls [32]uint16
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	small.StoreArray(&smalls)
	sum = sumAVX512(sums)
	return slices.Min(lows[:]), slices.Max(highs[:]), sum, slices.Min(smalls[:]) + 1
}

//gen:also bothEndsAVX2
func bothEndsAVX512(least, greatest archsimd.Uint16x32, signedLeast, signedGreatest archsimd.Int16x32,
	sums archsimd.Float64x8) (ul, uh uint16, sl, sh int16, sum float64) {
	var lows, highs [32]uint16
	var signedLows, signedHighs [32]int16
	least.StoreArray(&lows)
	greatest.StoreArray(&highs)
	signedLeast.StoreArray(&signedLows)
	signedGreatest.StoreArray(&signedHighs)
	sum = sumAVX512(sums)
	return slices.Min(lows[:]), slices.Max(highs[:]), slices.Min(signedLows[:]), slices.Max(signedHighs[:]), sum
}
