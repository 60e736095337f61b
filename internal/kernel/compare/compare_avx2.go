//go:build goexperiment.simd && amd64

package compare

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// AVX2 cannot compare unsigned numbers, but it has their minimum, for up to 32 bits: a difference
// is on the arc if it equals its minimum with span. The loops are those of AVX-512.

func index8AVX2(b []byte, a *arc, stride int) (i int, found bool) {
	low := archsimd.BroadcastUint8x32(uint8(a.low))
	span := archsimd.BroadcastUint8x32(uint8(a.span))
	magnitude := archsimd.BroadcastUint8x32(1<<7 - 1)
	var none archsimd.Int8x32
	between := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Pointer(gaps(1, stride))))
	float, sparse := a.typ.Float(), stride > 1
	base, n := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	for ; i+128 <= n; i += 128 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint8x32Array((*[32]uint8)(p))
		v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))
		v2 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 64)))
		v3 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 96)))
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
		if sparse {
			v0 = v0.Or(between)
			v1 = v1.Or(between)
			v2 = v2.Or(between)
			v3 = v3.Or(between)
		}
		least := v0.Min(v1).Min(v2.Min(v3))
		if least.Min(span).Equal(least).ToBits() != 0 {
			break
		}
	}
	for i < n {
		i = min(i, n-32)
		v := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(base, i)))
		if float {
			v = v.Xor(none.Greater(v.BitsToInt8()).ToInt8x32().ToBits().And(magnitude))
		}
		v = v.Sub(low)
		if sparse {
			v = v.Or(between)
		}
		if fits := v.Min(span).Equal(v).ToBits(); fits != 0 {
			archsimd.ClearAVXUpperBits()
			return i + bits.TrailingZeros32(fits), true
		}
		i += 32
	}
	archsimd.ClearAVXUpperBits()
	return n, false
}

func index16AVX2(b []byte, a *arc, stride int) (i int, found bool) {
	low := archsimd.BroadcastUint16x16(uint16(a.low))
	span := archsimd.BroadcastUint16x16(uint16(a.span))
	magnitude := archsimd.BroadcastUint16x16(1<<15 - 1)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[1][:]))
	between := archsimd.LoadUint16x16Array((*[16]uint16)(unsafe.Pointer(gaps(2, stride))))
	ones := archsimd.BroadcastUint8x32(0xff)
	swap, float, sparse := a.typ.bigEndian, a.typ.Float(), stride > 2
	base, n := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	for ; i+128 <= n; i += 128 {
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
		if sparse {
			v0 = v0.Or(between)
			v1 = v1.Or(between)
			v2 = v2.Or(between)
			v3 = v3.Or(between)
		}
		least := v0.Min(v1).Min(v2.Min(v3))
		if !least.Min(span).Equal(least).ToInt16x16().IsZero() {
			break
		}
	}
	for i < n {
		i = min(i, n-32)
		v := archsimd.LoadUint16x16Array((*[16]uint16)(unsafe.Add(base, i)))
		if swap {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint16s()
		}
		if float {
			v = v.Xor(v.BitsToInt16().ShiftAllRight(15).ToBits().And(magnitude))
		}
		v = v.Sub(low)
		if sparse {
			v = v.Or(between)
		}
		// AVX2 gives no mask with a bit per 16-bit lane, only one with a bit per byte.
		fits := v.Min(span).Equal(v).ToInt16x16().ToBits().ReshapeToUint8s().Equal(ones).ToBits()
		if fits != 0 {
			archsimd.ClearAVXUpperBits()
			return i + bits.TrailingZeros32(fits), true
		}
		i += 32
	}
	archsimd.ClearAVXUpperBits()
	return n, false
}

func index32AVX2(b []byte, a *arc, stride int) (i int, found bool) {
	low := archsimd.BroadcastUint32x8(uint32(a.low))
	span := archsimd.BroadcastUint32x8(uint32(a.span))
	magnitude := archsimd.BroadcastUint32x8(1<<31 - 1)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[2][:]))
	between := archsimd.LoadUint32x8Array((*[8]uint32)(unsafe.Pointer(gaps(4, stride))))
	swap, float, sparse := a.typ.bigEndian, a.typ.Float(), stride > 4
	base, n := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	for ; i+128 <= n; i += 128 {
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
		if sparse {
			v0 = v0.Or(between)
			v1 = v1.Or(between)
			v2 = v2.Or(between)
			v3 = v3.Or(between)
		}
		least := v0.Min(v1).Min(v2.Min(v3))
		if least.Min(span).Equal(least).ToBits() != 0 {
			break
		}
	}
	for i < n {
		i = min(i, n-32)
		v := archsimd.LoadUint32x8Array((*[8]uint32)(unsafe.Add(base, i)))
		if swap {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint32s()
		}
		if float {
			v = v.Xor(v.BitsToInt32().ShiftAllRight(31).ToBits().And(magnitude))
		}
		v = v.Sub(low)
		if sparse {
			v = v.Or(between)
		}
		if fits := v.Min(span).Equal(v).ToBits(); fits != 0 {
			archsimd.ClearAVXUpperBits()
			return i + 4*bits.TrailingZeros8(fits), true
		}
		i += 32
	}
	archsimd.ClearAVXUpperBits()
	return n, false
}

// index64AVX2 has no 64-bit minimum, so it compares every vector, as signed numbers: x <= y
// unsigned is x^top <= y^top signed. Flipping the top bit is the same as adding it, so the constant
// to subtract includes it. Lanes between values count as outside the arc.
func index64AVX2(b []byte, a *arc, stride int) (i int, found bool) {
	const top = 1 << 63
	low := archsimd.BroadcastUint64x4(a.low ^ top)
	span := archsimd.BroadcastInt64x4(int64(a.span ^ top))
	ones := archsimd.BroadcastInt64x4(-1)
	var zero archsimd.Int64x4
	magnitude := archsimd.BroadcastUint64x4(1<<63 - 1)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[3][:]))
	between := archsimd.LoadInt64x4Array((*[4]int64)(unsafe.Pointer(gaps(8, stride))))
	swap, float := a.typ.bigEndian, a.typ.Float()
	base, n := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	for ; i+128 <= n; i += 128 {
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
			v0 = v0.Xor(zero.Greater(v0.BitsToInt64()).ToInt64x4().ToBits().And(magnitude))
			v1 = v1.Xor(zero.Greater(v1.BitsToInt64()).ToInt64x4().ToBits().And(magnitude))
			v2 = v2.Xor(zero.Greater(v2.BitsToInt64()).ToInt64x4().ToBits().And(magnitude))
			v3 = v3.Xor(zero.Greater(v3.BitsToInt64()).ToInt64x4().ToBits().And(magnitude))
		}
		out0 := v0.Sub(low).BitsToInt64().Greater(span).ToInt64x4().Or(between)
		out1 := v1.Sub(low).BitsToInt64().Greater(span).ToInt64x4().Or(between)
		out2 := v2.Sub(low).BitsToInt64().Greater(span).ToInt64x4().Or(between)
		out3 := v3.Sub(low).BitsToInt64().Greater(span).ToInt64x4().Or(between)
		if out0.And(out1).And(out2.And(out3)).Equal(ones).ToBits() != 0b1111 {
			break
		}
	}
	for i < n {
		i = min(i, n-32)
		v := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(base, i)))
		if swap {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
		}
		if float {
			v = v.Xor(zero.Greater(v.BitsToInt64()).ToInt64x4().ToBits().And(magnitude))
		}
		out := v.Sub(low).BitsToInt64().Greater(span).ToInt64x4().Or(between)
		if fits := out.Equal(zero).ToBits(); fits != 0 {
			archsimd.ClearAVXUpperBits()
			return i + 8*bits.TrailingZeros8(fits), true
		}
		i += 32
	}
	archsimd.ClearAVXUpperBits()
	return n, false
}
