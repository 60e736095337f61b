//go:build goexperiment.simd && amd64

package histogram

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

//gen:also distances64AVX512 distances32AVX2 distances32NEON distances64NEON
func distances32AVX512(values []uint32, swap bool, base uint32) (done int, low, high uint32) {
	from := archsimd.BroadcastUint32x16(base)
	least, most := archsimd.BroadcastUint32x16(^uint32(0)), archsimd.BroadcastUint32x16(0)
	reversed := archsimd.LoadInt8x64Array((*[64]int8)(reverse32[:]))
	p := unsafe.Pointer(unsafe.SliceData(values))
	for ; done+bytesAVX512/width32 <= len(values); done += bytesAVX512 / width32 {
		at := (*[16]uint32)(unsafe.Add(p, width32*done))
		v := archsimd.LoadUint32x16Array(at)
		if swap {
			v = swap32AVX512(v, reversed)
		}
		v = v.Sub(from)
		v.StoreArray(at)
		least, most = min32AVX512(least, v), max32AVX512(most, v)
	}
	var lows, highs [16]uint32
	least.StoreArray(&lows)
	most.StoreArray(&highs)
	clearAVX512()
	low, high = extremes(lows[:], highs[:])
	return done, low, high
}

// slotsAVX512 finds the minimum and the maximum of the slots as floats, which have the same order.
//
//gen:also slotsAVX2 slotsNEON
func slotsAVX512(places []uint64, values []float64, in *grid) (done int, low, high uint64) {
	anchor, inverse := archsimd.BroadcastFloat64x8(in.anchor), archsimd.BroadcastFloat64x8(in.inverse)
	width, last := archsimd.BroadcastFloat64x8(in.width), archsimd.BroadcastFloat64x8(in.last)
	lowest, highest := archsimd.BroadcastFloat64x8(in.low), archsimd.BroadcastFloat64x8(in.high)
	one, zero := archsimd.BroadcastFloat64x8(1), archsimd.BroadcastFloat64x8(kZero)
	kLeast, kHighest := archsimd.BroadcastFloat64x8(-in.kMost), archsimd.BroadcastFloat64x8(in.kMost)
	least, most := archsimd.BroadcastFloat64x8(math.MaxFloat64), archsimd.BroadcastFloat64x8(0)
	from, to := unsafe.Pointer(unsafe.SliceData(values)), unsafe.Pointer(unsafe.SliceData(places))
	for ; done+bytesAVX512/8 <= len(values); done += bytesAVX512 / 8 {
		v := archsimd.LoadFloat64x8Array((*[8]float64)(unsafe.Add(from, 8*done)))
		k := floorAVX512(v.Sub(anchor).Mul(inverse))
		begin, next := anchor.Add(k.Mul(width)), anchor.Add(k.Add(one).Mul(width))
		if in.single {
			begin, next = singleAVX512(begin), singleAVX512(next)
		}
		down, up := v.Less(begin), v.GreaterEqual(next)
		k = k.Sub(one.Masked(down)).Add(one.Masked(up)).Min(last)
		placed := v.GreaterEqual(lowest).And(v.LessEqual(highest)).
			And(k.GreaterEqual(kLeast)).And(k.LessEqual(kHighest))
		p := k.Add(zero).Masked(placed)
		p.ToBits().StoreArray((*[8]uint64)(unsafe.Add(to, 8*done)))
		least, most = least.Min(p), most.Max(p)
	}
	var lows, highs [8]uint64
	least.ToBits().StoreArray(&lows)
	most.ToBits().StoreArray(&highs)
	clearAVX512()
	low, high = extremes(lows[:], highs[:])
	return done, low, high
}

//gen:also swap64AVX512 swap32AVX2 swap64AVX2
func swap32AVX512(v archsimd.Uint32x16, reversed archsimd.Int8x64) archsimd.Uint32x16 {
	return v.ReshapeToUint8s().PermuteOrZeroGrouped(reversed).ReshapeToUint32s()
}

//gen:also min64AVX512 min32AVX2 min32NEON
func min32AVX512(a, b archsimd.Uint32x16) archsimd.Uint32x16 { return a.Min(b) }

//gen:also max64AVX512 max32AVX2 max32NEON
func max32AVX512(a, b archsimd.Uint32x16) archsimd.Uint32x16 { return a.Max(b) }

func floorAVX512(v archsimd.Float64x8) archsimd.Float64x8 { return v.FloorScaled(0) }

// singleAVX512 rounds to float32.
//
//gen:also singleAVX2
func singleAVX512(v archsimd.Float64x8) archsimd.Float64x8 {
	return v.ConvertToFloat32().ConvertToFloat64()
}

//gen:also clearAVX2
func clearAVX512() { archsimd.ClearAVXUpperBits() }
