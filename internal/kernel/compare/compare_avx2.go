//go:build goexperiment.simd && amd64

package compare

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// AVX2 cannot compare unsigned numbers, but it has their minimum, for up to 32 bits: a difference
// is on the arc if it equals its minimum with span. The loops are those of AVX-512.

//gen:also fits8AVX2
func fits32AVX2(v, span archsimd.Uint32x8) mask32AVX2 { return v.Min(span).Equal(v).ToBits() }

// fits16AVX2 returns two bits for each: AVX2 gives no mask with a bit per 16-bit lane.
func fits16AVX2(v, span archsimd.Uint16x16) mask16AVX2 {
	ones := archsimd.BroadcastUint8x32(0xff)
	return v.Min(span).Equal(v).ToInt16x16().ToBits().ReshapeToUint8s().Equal(ones).ToBits()
}

func first16AVX2(fits mask16AVX2) int { return bits.TrailingZeros64(uint64(fits)) }

//gen:also lanes16AVX2
func lanes32AVX2(v, low, span archsimd.Uint32x8) archsimd.Uint8x32 {
	v = v.Sub(low)
	return v.Min(span).Equal(v).ToInt32x8().ToBits().ReshapeToUint8s()
}

func lanes8AVX2(v, low, span archsimd.Uint8x32) archsimd.Uint8x32 {
	v = v.Sub(low)
	return v.Min(span).Equal(v).ToInt8x32().ToBits()
}

// There is no 64-bit minimum: count64AVX2 compares as signed numbers, as index64AVX2 does. A value is
// on the arc if its difference is less than bound, the first difference past the arc. There is such
// a difference because span is less than the highest key.

func arc64AVX2(a *arc) (low, bound archsimd.Uint64x4) {
	const top = 1 << 63
	return archsimd.BroadcastUint64x4(a.low ^ top), archsimd.BroadcastUint64x4((a.span + 1) ^ top)
}

func lanes64AVX2(v, low, bound archsimd.Uint64x4) archsimd.Uint8x32 {
	return bound.BitsToInt64().Greater(v.Sub(low).BitsToInt64()).ToInt64x4().ToBits().ReshapeToUint8s()
}

type sumAVX2 = archsimd.Uint64x4

func totalAVX2(sum sumAVX2) uint64 {
	var sums [4]uint64
	sum.StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	return sums[0] + sums[1] + sums[2] + sums[3]
}

// index64AVX2 has no 64-bit minimum, so it compares every vector, as signed numbers: x <= y
// unsigned is x^top <= y^top signed. Flipping the top bit is the same as adding it, so the constant
// to subtract includes it. Lanes between values count as outside the arc.
func index64AVX2(b []byte, a *arc, stride int) (i int, found bool) {
	const top = 1 << 63
	low, span := archsimd.BroadcastUint64x4(a.low^top), archsimd.BroadcastInt64x4(int64(a.span^top))
	ones := archsimd.BroadcastInt64x4(-1)
	var zero archsimd.Int64x4
	magnitude := archsimd.BroadcastUint64x4(1<<63 - 1)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[log64][:]))
	between := archsimd.LoadInt64x4Array((*[4]int64)(unsafe.Pointer(gaps(width64, stride))))
	swap, float := a.typ.bigEndian, a.typ.Float()
	base, n := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	for ; i+4*bytesAVX2 <= n; i += 4 * bytesAVX2 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint64x4Array((*[4]uint64)(p))
		v1 := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, bytesAVX2)))
		v2 := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 2*bytesAVX2)))
		v3 := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(p, 3*bytesAVX2)))
		if swap {
			v0, v1 = swap64AVX2(v0, swapped), swap64AVX2(v1, swapped)
			v2, v3 = swap64AVX2(v2, swapped), swap64AVX2(v3, swapped)
		}
		if float {
			v0 = key64AVX2(v0, magnitude)
			v1 = key64AVX2(v1, magnitude)
			v2 = key64AVX2(v2, magnitude)
			v3 = key64AVX2(v3, magnitude)
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
		i = min(i, n-bytesAVX2)
		v := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(base, i)))
		if swap {
			v = swap64AVX2(v, swapped)
		}
		if float {
			v = key64AVX2(v, magnitude)
		}
		out := v.Sub(low).BitsToInt64().Greater(span).ToInt64x4().Or(between)
		if fits := out.Equal(zero).ToBits(); fits != 0 {
			archsimd.ClearAVXUpperBits()
			return i + 8*bits.TrailingZeros8(fits), true
		}
		i += bytesAVX2
	}
	archsimd.ClearAVXUpperBits()
	return n, false
}

// count8AVX2 counts in two stretches at a time where they are long enough. See kernel.PairBytes.
func count8AVX2(b []byte, a *arc, stride int) int {
	low, span := arc8AVX2(a)
	magnitude := archsimd.BroadcastUint8x32(1<<7 - 1)
	between := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Pointer(gaps(width8, stride))))
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
					v0 = key8AVX2(v0, magnitude)
					v1 = key8AVX2(v1, magnitude)
					v2 = key8AVX2(v2, magnitude)
					v3 = key8AVX2(v3, magnitude)
				}
				bytes = bytes.Sub(lanes8AVX2(v0, low, span).Add(lanes8AVX2(v1, low, span)).
					Add(lanes8AVX2(v2, low, span).Add(lanes8AVX2(v3, low, span))))
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
		v := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(base, start)))
		if float {
			v = key8AVX2(v, magnitude)
		}
		fresh := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Pointer(lanesFrom(i - start))))
		bytes = bytes.Sub(lanes8AVX2(v, low, span).And(fresh))
	}
	return int(totalAVX2(sum.Add(bytes.AndNot(between).SumOf8AbsDiff(zero))))
}
