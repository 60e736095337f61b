//go:build goexperiment.simd && amd64

package histogram

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

func sameAVX512(b []byte, width int) (runs uint64) {
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := range len(b) / blockBytes {
		p := unsafe.Add(base, i*blockBytes)
		first := archsimd.BroadcastUint16x32(leader(p, width))
		if archsimd.LoadUint16x32Array((*[32]uint16)(p)).Equal(first).ToBits() == math.MaxUint32 {
			runs |= 1 << (uint(i) % sectionBlocks)
		}
	}
	archsimd.ClearAVXUpperBits()
	return runs
}

func distances32AVX512(values []uint32, swap bool, base uint32) (done int, low, high uint32) {
	from := archsimd.BroadcastUint32x16(base)
	least, most := archsimd.BroadcastUint32x16(math.MaxUint32), archsimd.BroadcastUint32x16(0)
	reversed := archsimd.LoadInt8x64Array(&reverse4)
	p := unsafe.Pointer(unsafe.SliceData(values))
	for ; done+16 <= len(values); done += 16 {
		at := (*[16]uint32)(unsafe.Add(p, 4*done))
		v := archsimd.LoadUint32x16Array(at)
		if swap {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(reversed).ReshapeToUint32s()
		}
		v = v.Sub(from)
		v.StoreArray(at)
		least, most = least.Min(v), most.Max(v)
	}
	var lows, highs [16]uint32
	least.StoreArray(&lows)
	most.StoreArray(&highs)
	archsimd.ClearAVXUpperBits()
	low, high = extremes(lows[:], highs[:])
	return done, low, high
}

func distances64AVX512(values []uint64, swap bool, base uint64) (done int, low, high uint64) {
	from := archsimd.BroadcastUint64x8(base)
	least, most := archsimd.BroadcastUint64x8(math.MaxUint64), archsimd.BroadcastUint64x8(0)
	reversed := archsimd.LoadInt8x64Array(&reverse8)
	p := unsafe.Pointer(unsafe.SliceData(values))
	for ; done+8 <= len(values); done += 8 {
		at := (*[8]uint64)(unsafe.Add(p, 8*done))
		v := archsimd.LoadUint64x8Array(at)
		if swap {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(reversed).ReshapeToUint64s()
		}
		v = v.Sub(from)
		v.StoreArray(at)
		least, most = least.Min(v), most.Max(v)
	}
	var lows, highs [8]uint64
	least.StoreArray(&lows)
	most.StoreArray(&highs)
	archsimd.ClearAVXUpperBits()
	low, high = extremes(lows[:], highs[:])
	return done, low, high
}

func slotsAVX512(places []uint64, values []float64, in *grid) (done int, low, high uint64) {
	anchor, inverse := archsimd.BroadcastFloat64x8(in.anchor), archsimd.BroadcastFloat64x8(in.inverse)
	width, last := archsimd.BroadcastFloat64x8(in.width), archsimd.BroadcastFloat64x8(in.last)
	lowest, highest := archsimd.BroadcastFloat64x8(in.low), archsimd.BroadcastFloat64x8(in.high)
	one, zero := archsimd.BroadcastFloat64x8(1), archsimd.BroadcastFloat64x8(kZero)
	kLeast, kHighest := archsimd.BroadcastFloat64x8(-in.kMost), archsimd.BroadcastFloat64x8(in.kMost)
	least, most := archsimd.BroadcastUint64x8(math.MaxUint64), archsimd.BroadcastUint64x8(0)
	from, to := unsafe.Pointer(unsafe.SliceData(values)), unsafe.Pointer(unsafe.SliceData(places))
	for ; done+8 <= len(values); done += 8 {
		v := archsimd.LoadFloat64x8Array((*[8]float64)(unsafe.Add(from, 8*done)))
		k := v.Sub(anchor).Mul(inverse).FloorScaled(0)
		begin, next := anchor.Add(k.Mul(width)), anchor.Add(k.Add(one).Mul(width))
		if in.single {
			begin, next = begin.ConvertToFloat32().ConvertToFloat64(), next.ConvertToFloat32().ConvertToFloat64()
		}
		down, up := v.Less(begin), v.GreaterEqual(next)
		k = k.Sub(one.Masked(down)).Add(one.Masked(up)).Min(last)
		placed := v.GreaterEqual(lowest).And(v.LessEqual(highest)).
			And(k.GreaterEqual(kLeast)).And(k.LessEqual(kHighest))
		p := k.Add(zero).ToBits().Masked(placed)
		p.StoreArray((*[8]uint64)(unsafe.Add(to, 8*done)))
		least, most = least.Min(p), most.Max(p)
	}
	var lows, highs [8]uint64
	least.StoreArray(&lows)
	most.StoreArray(&highs)
	archsimd.ClearAVXUpperBits()
	low, high = extremes(lows[:], highs[:])
	return done, low, high
}
