//go:build goexperiment.simd && amd64

package compare

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// index32AVX512 ends the loop over blocks of four vectors at the first whose smallest difference is
// on the arc. The loop over vectors then finds the value, or handles what is shorter than a block.
// The last vector overlaps the one before it.
//
//gen:also index8AVX512 index16AVX512 index64AVX512 index8AVX2 index16AVX2 index32AVX2
func index32AVX512(b []byte, a *arc, stride int) (i int, found bool) {
	low, span := arc32AVX512(a)
	magnitude := archsimd.BroadcastUint32x16(^uint32(0) >> 1)
	swapped := archsimd.LoadInt8x64Array((*[64]int8)(byteSwap[log32][:]))
	between := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Pointer(gaps(width32, stride))))
	swap, float, sparse := a.typ.bigEndian, a.typ.Float(), stride > width32
	base, n := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	for ; i+4*bytesAVX512 <= n; i += 4 * bytesAVX512 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint32x16Array((*[16]uint32)(p))
		v1 := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(p, bytesAVX512)))
		v2 := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(p, 2*bytesAVX512)))
		v3 := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(p, 3*bytesAVX512)))
		if swap {
			v0, v1 = swap32AVX512(v0, swapped), swap32AVX512(v1, swapped)
			v2, v3 = swap32AVX512(v2, swapped), swap32AVX512(v3, swapped)
		}
		if float {
			v0 = key32AVX512(v0, magnitude)
			v1 = key32AVX512(v1, magnitude)
			v2 = key32AVX512(v2, magnitude)
			v3 = key32AVX512(v3, magnitude)
		}
		v0, v1, v2, v3 = v0.Sub(low), v1.Sub(low), v2.Sub(low), v3.Sub(low)
		if sparse {
			v0, v1, v2, v3 = v0.Or(between), v1.Or(between), v2.Or(between), v3.Or(between)
		}
		if fits32AVX512(v0.Min(v1).Min(v2.Min(v3)), span) != 0 {
			break
		}
	}
	for i < n {
		i = min(i, n-bytesAVX512)
		v := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(base, i)))
		if swap {
			v = swap32AVX512(v, swapped)
		}
		if float {
			v = key32AVX512(v, magnitude)
		}
		v = v.Sub(low)
		if sparse {
			v = v.Or(between)
		}
		if fits := fits32AVX512(v, span); fits != 0 {
			archsimd.ClearAVXUpperBits()
			return i + first32AVX512(fits), true
		}
		i += bytesAVX512
	}
	archsimd.ClearAVXUpperBits()
	return n, false
}

// count32AVX512 counts in blocks of four vectors, as many as the byte sums can take before they
// overflow, then in single vectors. The last vector overlaps the one before it and counts only the
// bytes that one did not.
//
//gen:also count8AVX512 count16AVX512 count64AVX512 count16AVX2 count32AVX2 count64AVX2
//gen:also count8NEON count16NEON count32NEON count64NEON
func count32AVX512(b []byte, a *arc, stride int) int {
	low, span := arc32AVX512(a)
	magnitude := archsimd.BroadcastUint32x16(^uint32(0) >> 1)
	swapped := archsimd.LoadInt8x64Array((*[64]int8)(byteSwap[log32][:]))
	between := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Pointer(gaps(width32, stride))))
	swap, float := a.typ.bigEndian, a.typ.Float()
	var sum sumAVX512
	base, n, i := unsafe.Pointer(unsafe.SliceData(b)), len(b), 0
	for i+4*bytesAVX512 <= n {
		var bytes archsimd.Uint8x64
		for end := min(i+blocksMax*4*bytesAVX512, n-4*bytesAVX512+1); i < end; i += 4 * bytesAVX512 {
			p := unsafe.Add(base, i)
			v0 := archsimd.LoadUint32x16Array((*[16]uint32)(p))
			v1 := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(p, bytesAVX512)))
			v2 := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(p, 2*bytesAVX512)))
			v3 := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(p, 3*bytesAVX512)))
			if swap {
				v0, v1 = swap32AVX512(v0, swapped), swap32AVX512(v1, swapped)
				v2, v3 = swap32AVX512(v2, swapped), swap32AVX512(v3, swapped)
			}
			if float {
				v0 = key32AVX512(v0, magnitude)
				v1 = key32AVX512(v1, magnitude)
				v2 = key32AVX512(v2, magnitude)
				v3 = key32AVX512(v3, magnitude)
			}
			bytes = bytes.Sub(lanes32AVX512(v0, low, span).Add(lanes32AVX512(v1, low, span)).
				Add(lanes32AVX512(v2, low, span).Add(lanes32AVX512(v3, low, span))))
		}
		sum = addedAVX512(sum, bytes.AndNot(between))
	}
	var bytes archsimd.Uint8x64
	for ; i < n; i += bytesAVX512 {
		start := min(i, n-bytesAVX512)
		v := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(base, start)))
		if swap {
			v = swap32AVX512(v, swapped)
		}
		if float {
			v = key32AVX512(v, magnitude)
		}
		fresh := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Pointer(lanesFrom(i - start))))
		bytes = bytes.Sub(lanes32AVX512(v, low, span).And(fresh))
	}
	return int(totalAVX512(addedAVX512(sum, bytes.AndNot(between))) / width32)
}

// sumAVX512 is the sum of bytes in its parts.
type sumAVX512 = archsimd.Uint64x8

//gen:also addedAVX2
func addedAVX512(sum sumAVX512, bytes archsimd.Uint8x64) sumAVX512 {
	var zero archsimd.Uint8x64
	return sum.Add(bytes.SumOf8AbsDiff(zero))
}

//gen:also arc8AVX512 arc16AVX512 arc64AVX512 arc8AVX2 arc16AVX2 arc32AVX2 arc8NEON arc16NEON arc32NEON arc64NEON
func arc32AVX512(a *arc) (low, span archsimd.Uint32x16) {
	return archsimd.BroadcastUint32x16(uint32(a.low)), archsimd.BroadcastUint32x16(uint32(a.span))
}

// fits32AVX512 returns a bit for each difference that is on the arc.
//
//gen:also fits8AVX512 fits16AVX512 fits64AVX512
func fits32AVX512(v, span archsimd.Uint32x16) mask32AVX512 { return v.LessEqual(span).ToBits() }

// Masks of the types' lengths: a test of a longer one would take an instruction more.
type (
	mask8AVX512  = uint64
	mask16AVX512 = uint32
	mask32AVX512 = uint16
	mask64AVX512 = uint8
	mask8AVX2    = uint32
	mask16AVX2   = uint32
	mask32AVX2   = uint8
)

// first32AVX512 returns where the value of the lowest bit begins.
//
//gen:also first8AVX512 first16AVX512 first64AVX512 first8AVX2 first32AVX2
func first32AVX512(fits mask32AVX512) int { return width32 * bits.TrailingZeros64(uint64(fits)) }

// lanes32AVX512 sets all bits of the values that are on the arc.
//
//gen:also lanes16AVX512 lanes64AVX512
func lanes32AVX512(v, low, span archsimd.Uint32x16) archsimd.Uint8x64 {
	return v.Sub(low).LessEqual(span).ToInt32x16().ToBits().ReshapeToUint8s()
}

func lanes8AVX512(v, low, span archsimd.Uint8x64) archsimd.Uint8x64 {
	return v.Sub(low).LessEqual(span).ToInt8x64().ToBits()
}

// key32AVX512 makes the bits of floats keys.
//
//gen:also key16AVX512 key64AVX512 key16AVX2 key32AVX2 key8NEON key16NEON key32NEON key64NEON
func key32AVX512(v, magnitude archsimd.Uint32x16) archsimd.Uint32x16 {
	return v.Xor(v.BitsToInt32().ShiftAllRight(8*width32 - 1).ToBits().And(magnitude))
}

// AVX-512 does not shift bytes, and AVX2 does not shift 64 bits.
//
//gen:also key8AVX2 key64AVX2
func key8AVX512(v, magnitude archsimd.Uint8x64) archsimd.Uint8x64 {
	var zero archsimd.Int8x64
	return v.Xor(zero.Greater(v.BitsToInt8()).ToInt8x64().ToBits().And(magnitude))
}

//gen:also swap16AVX512 swap64AVX512 swap16AVX2 swap32AVX2 swap64AVX2
func swap32AVX512(v archsimd.Uint32x16, swapped archsimd.Int8x64) archsimd.Uint32x16 {
	return v.ReshapeToUint8s().PermuteOrZeroGrouped(swapped).ReshapeToUint32s()
}

//gen:also swap8AVX2
func swap8AVX512(v archsimd.Uint8x64, _ archsimd.Int8x64) archsimd.Uint8x64 { return v }

func totalAVX512(sum sumAVX512) uint64 {
	var sums [8]uint64
	sum.StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7]
}
