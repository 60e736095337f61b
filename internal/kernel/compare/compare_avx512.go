//go:build goexperiment.simd && amd64

package compare

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// All four kernels work the same way. The first block of four vectors whose smallest difference is
// on the arc ends the loop over blocks. The loop over vectors then finds the value, or handles what
// is shorter than a block. The last vector overlaps the one before it.

func index8AVX512(b []byte, a *arc, stride int) (i int, found bool) {
	low := archsimd.BroadcastUint8x64(uint8(a.low))
	span := archsimd.BroadcastUint8x64(uint8(a.span))
	magnitude := archsimd.BroadcastUint8x64(1<<7 - 1)
	var none archsimd.Int8x64
	between := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Pointer(gaps(1, stride))))
	float, sparse := a.typ.Float(), stride > 1
	base, n := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	for ; i+256 <= n; i += 256 {
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
		if v0.Min(v1).Min(v2.Min(v3)).LessEqual(span).ToBits() != 0 {
			break
		}
	}
	for i < n {
		i = min(i, n-64)
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, i)))
		if float {
			v = v.Xor(none.Greater(v.BitsToInt8()).ToInt8x64().ToBits().And(magnitude))
		}
		v = v.Sub(low)
		if sparse {
			v = v.Or(between)
		}
		if fits := v.LessEqual(span).ToBits(); fits != 0 {
			archsimd.ClearAVXUpperBits()
			return i + bits.TrailingZeros64(fits), true
		}
		i += 64
	}
	archsimd.ClearAVXUpperBits()
	return n, false
}

func index16AVX512(b []byte, a *arc, stride int) (i int, found bool) {
	low := archsimd.BroadcastUint16x32(uint16(a.low))
	span := archsimd.BroadcastUint16x32(uint16(a.span))
	magnitude := archsimd.BroadcastUint16x32(1<<15 - 1)
	swapped := archsimd.LoadInt8x64Array(&byteSwap[1])
	between := archsimd.LoadUint16x32Array((*[32]uint16)(unsafe.Pointer(gaps(2, stride))))
	swap, float, sparse := a.typ.bigEndian, a.typ.Float(), stride > 2
	base, n := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	for ; i+256 <= n; i += 256 {
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
		if v0.Min(v1).Min(v2.Min(v3)).LessEqual(span).ToBits() != 0 {
			break
		}
	}
	for i < n {
		i = min(i, n-64)
		v := archsimd.LoadUint16x32Array((*[32]uint16)(unsafe.Add(base, i)))
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
		if fits := v.LessEqual(span).ToBits(); fits != 0 {
			archsimd.ClearAVXUpperBits()
			return i + 2*bits.TrailingZeros32(fits), true
		}
		i += 64
	}
	archsimd.ClearAVXUpperBits()
	return n, false
}

func index32AVX512(b []byte, a *arc, stride int) (i int, found bool) {
	low := archsimd.BroadcastUint32x16(uint32(a.low))
	span := archsimd.BroadcastUint32x16(uint32(a.span))
	magnitude := archsimd.BroadcastUint32x16(1<<31 - 1)
	swapped := archsimd.LoadInt8x64Array(&byteSwap[2])
	between := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Pointer(gaps(4, stride))))
	swap, float, sparse := a.typ.bigEndian, a.typ.Float(), stride > 4
	base, n := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	for ; i+256 <= n; i += 256 {
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
		if v0.Min(v1).Min(v2.Min(v3)).LessEqual(span).ToBits() != 0 {
			break
		}
	}
	for i < n {
		i = min(i, n-64)
		v := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(base, i)))
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
		if fits := v.LessEqual(span).ToBits(); fits != 0 {
			archsimd.ClearAVXUpperBits()
			return i + 4*bits.TrailingZeros16(fits), true
		}
		i += 64
	}
	archsimd.ClearAVXUpperBits()
	return n, false
}

func index64AVX512(b []byte, a *arc, stride int) (i int, found bool) {
	low := archsimd.BroadcastUint64x8(uint64(a.low))
	span := archsimd.BroadcastUint64x8(uint64(a.span))
	magnitude := archsimd.BroadcastUint64x8(1<<63 - 1)
	swapped := archsimd.LoadInt8x64Array(&byteSwap[3])
	between := archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Pointer(gaps(8, stride))))
	swap, float, sparse := a.typ.bigEndian, a.typ.Float(), stride > 8
	base, n := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	for ; i+256 <= n; i += 256 {
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
		if v0.Min(v1).Min(v2.Min(v3)).LessEqual(span).ToBits() != 0 {
			break
		}
	}
	for i < n {
		i = min(i, n-64)
		v := archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(base, i)))
		if swap {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint64s()
		}
		if float {
			v = v.Xor(v.BitsToInt64().ShiftAllRight(63).ToBits().And(magnitude))
		}
		v = v.Sub(low)
		if sparse {
			v = v.Or(between)
		}
		if fits := v.LessEqual(span).ToBits(); fits != 0 {
			archsimd.ClearAVXUpperBits()
			return i + 8*bits.TrailingZeros8(fits), true
		}
		i += 64
	}
	archsimd.ClearAVXUpperBits()
	return n, false
}
