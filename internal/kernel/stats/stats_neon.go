//go:build goexperiment.simd && arm64

package stats

import (
	"simd/archsimd"
	"unsafe"
)

// ints8NEON adds the even and the odd bytes of two vectors to lanes of 16 bits. A lane can take
// that 64 times, since 64 * 4 * 255 < 2^16, so it empties the lanes every 2 KiB.
func ints8NEON(b []byte, bias uint64, _ bool) (low, high, sum, sum32 uint64) {
	const sectionBytes = 64 * 32
	flip := archsimd.BroadcastUint8x16(uint8(bias))
	even := archsimd.BroadcastUint16x8(0xff)
	pairs := archsimd.BroadcastUint32x4(0xffff)
	least := archsimd.BroadcastUint8x16(0xff)
	var greatest archsimd.Uint8x16
	var lanes archsimd.Uint32x4
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i < len(b); {
		var section archsimd.Uint16x8
		for end := min(i+sectionBytes, len(b)); i+32 <= end; i += 32 {
			p := unsafe.Add(base, i)
			v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p)).Xor(flip)
			v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16))).Xor(flip)
			least = least.Min(v0.Min(v1))
			greatest = greatest.Max(v0.Max(v1))
			w0, w1 := v0.ReshapeToUint16s(), v1.ReshapeToUint16s()
			section = section.Add(w0.And(even).Add(w0.ShiftAllRight(8)))
			section = section.Add(w1.And(even).Add(w1.ShiftAllRight(8)))
		}
		w := section.ReshapeToUint32s()
		lanes = lanes.Add(w.And(pairs)).Add(w.ShiftAllRight(16))
	}
	var sums [4]uint32
	lanes.StoreArray(&sums)
	return uint64(least.ReduceMin()), uint64(greatest.ReduceMax()), total(sums[:]), 0
}

// ints16NEON adds the even and the odd values to lanes of 32 bits.
func ints16NEON(b []byte, bias uint64, bigEndian bool) (low, high, sum, sum32 uint64) {
	flip := archsimd.BroadcastUint16x8(uint16(bias))
	even := archsimd.BroadcastUint32x4(0xffff)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[1][:])).ToBits()
	least := archsimd.BroadcastUint16x8(0xffff)
	var greatest archsimd.Uint16x8
	var sum0, sum1 archsimd.Uint32x4
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+32 <= len(b); i += 32 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint16x8Array((*[8]uint16)(p))
		v1 := archsimd.LoadUint16x8Array((*[8]uint16)(unsafe.Add(p, 16)))
		if bigEndian {
			v0 = v0.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint16s()
			v1 = v1.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint16s()
		}
		v0 = v0.Xor(flip)
		v1 = v1.Xor(flip)
		least = least.Min(v0.Min(v1))
		greatest = greatest.Max(v0.Max(v1))
		w0, w1 := v0.ReshapeToUint32s(), v1.ReshapeToUint32s()
		sum0 = sum0.Add(w0.And(even)).Add(w0.ShiftAllRight(16))
		sum1 = sum1.Add(w1.And(even)).Add(w1.ShiftAllRight(16))
	}
	var sums0, sums1 [4]uint32
	sum0.StoreArray(&sums0)
	sum1.StoreArray(&sums1)
	sum = total(sums0[:]) + total(sums1[:])
	return uint64(least.ReduceMin()), uint64(greatest.ReduceMax()), sum, 0
}

// ints32NEON adds the even and the odd values to lanes of 64 bits.
func ints32NEON(b []byte, bias uint64, bigEndian bool) (low, high, sum, sum32 uint64) {
	flip := archsimd.BroadcastUint32x4(uint32(bias))
	even := archsimd.BroadcastUint64x2(1<<32 - 1)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[2][:])).ToBits()
	least := archsimd.BroadcastUint32x4(1<<32 - 1)
	var greatest archsimd.Uint32x4
	var sum0, sum1 archsimd.Uint64x2
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+32 <= len(b); i += 32 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint32x4Array((*[4]uint32)(p))
		v1 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 16)))
		if bigEndian {
			v0 = v0.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint32s()
			v1 = v1.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint32s()
		}
		v0 = v0.Xor(flip)
		v1 = v1.Xor(flip)
		least = least.Min(v0.Min(v1))
		greatest = greatest.Max(v0.Max(v1))
		w0, w1 := v0.ReshapeToUint64s(), v1.ReshapeToUint64s()
		sum0 = sum0.Add(w0.And(even)).Add(w0.ShiftAllRight(32))
		sum1 = sum1.Add(w1.And(even)).Add(w1.ShiftAllRight(32))
	}
	var sums [2]uint64
	sum0.Add(sum1).StoreArray(&sums)
	return uint64(least.ReduceMin()), uint64(greatest.ReduceMax()), total(sums[:]), 0
}

// ints64NEON adds the lower and the upper halves separately. NEON has no 64-bit minimum, so it
// compares and selects.
func ints64NEON(b []byte, bias uint64, bigEndian bool) (low, high, sum, sum32 uint64) {
	flip := archsimd.BroadcastUint64x2(bias)
	lower := archsimd.BroadcastUint64x2(1<<32 - 1)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[3][:])).ToBits()
	least := archsimd.BroadcastUint64x2(1<<64 - 1)
	var greatest, lanes, lanes32 archsimd.Uint64x2
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+16 <= len(b); i += 16 {
		v := archsimd.LoadUint64x2Array((*[2]uint64)(unsafe.Add(base, i)))
		if bigEndian {
			v = v.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint64s()
		}
		v = v.Xor(flip)
		least = v.IfElse(least.Greater(v), least)
		greatest = v.IfElse(v.Greater(greatest), greatest)
		lanes = lanes.Add(v.And(lower))
		lanes32 = lanes32.Add(v.ShiftAllRight(32))
	}
	low, high = min(least.GetElem(0), least.GetElem(1)), max(greatest.GetElem(0), greatest.GetElem(1))
	return low, high, lanes.GetElem(0) + lanes.GetElem(1), lanes32.GetElem(0) + lanes32.GetElem(1)
}

// decode32NEON finds the smallest magnitude other than zero by subtracting 1, which makes zero the
// greatest.
func decode32NEON(x []float64, b []byte, bigEndian bool) (low, high int32, sum float64, smallest uint32) {
	magnitude := archsimd.BroadcastUint32x4(1<<31 - 1)
	one := archsimd.BroadcastUint32x4(1)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[2][:])).ToBits()
	least := archsimd.BroadcastInt32x4(1<<31 - 1)
	greatest := archsimd.BroadcastInt32x4(-1 << 31)
	small := archsimd.BroadcastUint32x4(1<<32 - 1)
	var sum0, sum1 archsimd.Float64x2
	from, to := unsafe.Pointer(unsafe.SliceData(b)), unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+16 <= len(b); i += 16 {
		v := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(from, i)))
		if bigEndian {
			v = v.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint32s()
		}
		q := unsafe.Add(to, 2*i)
		f0 := v.BitsToFloat32().ConvertLo2ToFloat64()
		f1 := v.BitsToFloat32().HiToLo().ConvertLo2ToFloat64()
		f0.StoreArray((*[2]float64)(q))
		f1.StoreArray((*[2]float64)(unsafe.Add(q, 16)))
		sum0, sum1 = sum0.Add(f0), sum1.Add(f1)
		small = small.Min(v.And(magnitude).Sub(one))
		key := v.Xor(v.BitsToInt32().ShiftAllRight(31).ToBits().And(magnitude)).BitsToInt32()
		least = least.Min(key)
		greatest = greatest.Max(key)
	}
	all := sum0.Add(sum1)
	return least.ReduceMin(), greatest.ReduceMax(), all.GetElem(0) + all.GetElem(1), small.ReduceMin() + 1
}

func add16NEON(b []byte, bfloat, bigEndian bool) (low, high int16, sum float64, smallest uint16) {
	magnitude := archsimd.BroadcastUint16x8(1<<15 - 1)
	one := archsimd.BroadcastUint16x8(1)
	upper := archsimd.BroadcastUint32x4(0xffff << 16)
	fields := archsimd.BroadcastUint32x4(half32)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[1][:])).ToBits()
	least := archsimd.BroadcastInt16x8(1<<15 - 1)
	greatest := archsimd.BroadcastInt16x8(-1 << 15)
	small := archsimd.BroadcastUint16x8(1<<16 - 1)
	var sum0, sum1, sum2, sum3 archsimd.Float64x2
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+16 <= len(b); i += 16 {
		v := archsimd.LoadUint16x8Array((*[8]uint16)(unsafe.Add(base, i)))
		if bigEndian {
			v = v.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint16s()
		}
		even := v.ReshapeToUint32s().ShiftAllLeft(16)
		odd := v.ReshapeToUint32s().And(upper)
		if !bfloat {
			even = even.BitsToInt32().ShiftAllRight(3).ToBits().And(fields)
			odd = odd.BitsToInt32().ShiftAllRight(3).ToBits().And(fields)
		}
		sum0 = sum0.Add(even.BitsToFloat32().ConvertLo2ToFloat64())
		sum1 = sum1.Add(even.BitsToFloat32().HiToLo().ConvertLo2ToFloat64())
		sum2 = sum2.Add(odd.BitsToFloat32().ConvertLo2ToFloat64())
		sum3 = sum3.Add(odd.BitsToFloat32().HiToLo().ConvertLo2ToFloat64())
		small = small.Min(v.And(magnitude).Sub(one))
		key := v.Xor(v.BitsToInt16().ShiftAllRight(15).ToBits().And(magnitude)).BitsToInt16()
		least = least.Min(key)
		greatest = greatest.Max(key)
	}
	all := sum0.Add(sum1).Add(sum2.Add(sum3))
	return least.ReduceMin(), greatest.ReduceMax(), all.GetElem(0) + all.GetElem(1), small.ReduceMin() + 1
}

func sum16NEON(b []byte, bf16, swap bool, start float32) (ul, uh uint16, sl, sh int16, sum float64) {
	upper := archsimd.BroadcastUint32x4(0xffff << 16)
	fields := archsimd.BroadcastUint32x4(half32)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[1][:])).ToBits()
	least := archsimd.BroadcastUint16x8(1<<16 - 1)
	signedLeast := archsimd.BroadcastInt16x8(1<<15 - 1)
	signedGreatest := archsimd.BroadcastInt16x8(-1 << 15)
	var greatest archsimd.Uint16x8
	begin := archsimd.BroadcastFloat32x4(start)
	acc0, acc1 := begin, begin
	var rest0, rest1 archsimd.Float32x4
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+16 <= len(b); i += 16 {
		v := archsimd.LoadUint16x8Array((*[8]uint16)(unsafe.Add(base, i)))
		if swap {
			v = v.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint16s()
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
	accs := acc0.ConvertLo2ToFloat64().Add(acc0.HiToLo().ConvertLo2ToFloat64())
	accs = accs.Add(acc1.ConvertLo2ToFloat64().Add(acc1.HiToLo().ConvertLo2ToFloat64()))
	rests := rest0.ConvertLo2ToFloat64().Add(rest0.HiToLo().ConvertLo2ToFloat64())
	rests = rests.Add(rest1.ConvertLo2ToFloat64().Add(rest1.HiToLo().ConvertLo2ToFloat64()))
	all := accs.Add(rests)
	return least.ReduceMin(), greatest.ReduceMax(), signedLeast.ReduceMin(), signedGreatest.ReduceMax(),
		all.GetElem(0) + all.GetElem(1)
}

func decode64NEON(x []float64, b []byte, bigEndian bool) (low, high int64) {
	magnitude := archsimd.BroadcastUint64x2(1<<63 - 1)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[3][:])).ToBits()
	least := archsimd.BroadcastInt64x2(1<<63 - 1)
	greatest := archsimd.BroadcastInt64x2(-1 << 63)
	from, to := unsafe.Pointer(unsafe.SliceData(b)), unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+16 <= len(b); i += 16 {
		v := archsimd.LoadUint64x2Array((*[2]uint64)(unsafe.Add(from, i)))
		if bigEndian {
			v = v.ReshapeToUint8s().LookupOrZero(swapped).ReshapeToUint64s()
		}
		v.StoreArray((*[2]uint64)(unsafe.Add(to, i)))
		key := v.Xor(v.BitsToInt64().ShiftAllRight(63).ToBits().And(magnitude)).BitsToInt64()
		least = key.IfElse(least.Greater(key), least)
		greatest = key.IfElse(key.Greater(greatest), greatest)
	}
	low, high = min(least.GetElem(0), least.GetElem(1)), max(greatest.GetElem(0), greatest.GetElem(1))
	return low, high
}

func withoutNaNNEON(x []float64) (nan int, low, high int64) {
	magnitude := archsimd.BroadcastUint64x2(1<<63 - 1)
	least := archsimd.BroadcastInt64x2(1<<63 - 1)
	greatest := archsimd.BroadcastInt64x2(-1 << 63)
	var count archsimd.Int64x2 // of the others, as a negative number
	base := unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+2 <= len(x); i += 2 {
		p := (*[2]float64)(unsafe.Add(base, 8*i))
		v := archsimd.LoadFloat64x2Array(p)
		number := v.Equal(v)
		v.Masked(number).StoreArray(p)
		raw := v.ToBits()
		key := raw.Xor(raw.BitsToInt64().ShiftAllRight(63).ToBits().And(magnitude)).BitsToInt64()
		key = key.IfElse(number, least)
		least = key.IfElse(least.Greater(key), least)
		key = key.IfElse(number, greatest)
		greatest = key.IfElse(key.Greater(greatest), greatest)
		count = count.Add(number.ToInt64x2())
	}
	low, high = min(least.GetElem(0), least.GetElem(1)), max(greatest.GetElem(0), greatest.GetElem(1))
	return len(x) + int(count.GetElem(0)+count.GetElem(1)), low, high
}

// peelNEON has four accumulators, 8 lanes.
func peelNEON(x []float64, start float64) (sum float64, remains bool) {
	first := archsimd.BroadcastFloat64x2(start)
	acc0, acc1, acc2, acc3 := first, first, first, first
	var set archsimd.Uint64x2
	base := unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+8 <= len(x); i += 8 {
		p0 := unsafe.Add(base, 8*i)
		p1, p2, p3 := unsafe.Add(p0, 16), unsafe.Add(p0, 32), unsafe.Add(p0, 48)
		v0 := archsimd.LoadFloat64x2Array((*[2]float64)(p0))
		v1 := archsimd.LoadFloat64x2Array((*[2]float64)(p1))
		v2 := archsimd.LoadFloat64x2Array((*[2]float64)(p2))
		v3 := archsimd.LoadFloat64x2Array((*[2]float64)(p3))
		t0, t1, t2, t3 := acc0.Add(v0), acc1.Add(v1), acc2.Add(v2), acc3.Add(v3)
		v0 = v0.Sub(t0.Sub(acc0))
		v1 = v1.Sub(t1.Sub(acc1))
		v2 = v2.Sub(t2.Sub(acc2))
		v3 = v3.Sub(t3.Sub(acc3))
		acc0, acc1, acc2, acc3 = t0, t1, t2, t3
		v0.StoreArray((*[2]float64)(p0))
		v1.StoreArray((*[2]float64)(p1))
		v2.StoreArray((*[2]float64)(p2))
		v3.StoreArray((*[2]float64)(p3))
		set = set.Or(v0.ToBits()).Or(v1.ToBits()).Or(v2.ToBits().Or(v3.ToBits()))
	}
	remains = (set.GetElem(0)|set.GetElem(1))<<1 != 0 // a zero may have a sign
	all := acc0.Sub(first).Add(acc1.Sub(first)).Add(acc2.Sub(first).Add(acc3.Sub(first)))
	return all.GetElem(0) + all.GetElem(1), remains
}

// addLayerNEON is peelNEON, but only reports whether a value differs from the part of it that was
// added, other than in the sign of a zero.
func addLayerNEON(x []float64, start float64) (sum float64, remains bool) {
	first := archsimd.BroadcastFloat64x2(start)
	acc0, acc1, acc2, acc3 := first, first, first, first
	var set0, set1 archsimd.Uint64x2
	base := unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i+8 <= len(x); i += 8 {
		p := unsafe.Add(base, 8*i)
		v0 := archsimd.LoadFloat64x2Array((*[2]float64)(p))
		v1 := archsimd.LoadFloat64x2Array((*[2]float64)(unsafe.Add(p, 16)))
		v2 := archsimd.LoadFloat64x2Array((*[2]float64)(unsafe.Add(p, 32)))
		v3 := archsimd.LoadFloat64x2Array((*[2]float64)(unsafe.Add(p, 48)))
		t0, t1, t2, t3 := acc0.Add(v0), acc1.Add(v1), acc2.Add(v2), acc3.Add(v3)
		set0 = set0.Or(v0.ToBits().Xor(t0.Sub(acc0).ToBits()))
		set1 = set1.Or(v1.ToBits().Xor(t1.Sub(acc1).ToBits()))
		set0 = set0.Or(v2.ToBits().Xor(t2.Sub(acc2).ToBits()))
		set1 = set1.Or(v3.ToBits().Xor(t3.Sub(acc3).ToBits()))
		acc0, acc1, acc2, acc3 = t0, t1, t2, t3
	}
	set := set0.Or(set1)
	remains = (set.GetElem(0)|set.GetElem(1))<<1 != 0
	all := acc0.Sub(first).Add(acc1.Sub(first)).Add(acc2.Sub(first).Add(acc3.Sub(first)))
	return all.GetElem(0) + all.GetElem(1), remains
}
