//go:build goexperiment.simd && arm64

package histogram

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

func sameNEON(b []byte, width int) (runs uint64) {
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := range len(b) / blockBytes {
		p := unsafe.Add(base, i*blockBytes)
		first := archsimd.BroadcastUint16x8(leader(p, width))
		v0 := archsimd.LoadUint16x8Array((*[8]uint16)(p)).Xor(first)
		v1 := archsimd.LoadUint16x8Array((*[8]uint16)(unsafe.Add(p, 16))).Xor(first)
		v2 := archsimd.LoadUint16x8Array((*[8]uint16)(unsafe.Add(p, 32))).Xor(first)
		v3 := archsimd.LoadUint16x8Array((*[8]uint16)(unsafe.Add(p, 48))).Xor(first)
		if v0.Or(v1).Or(v2.Or(v3)).ReduceMax() == 0 {
			runs |= 1 << (uint(i) % sectionBlocks)
		}
	}
	return runs
}

func distances32NEON(values []uint32, swap bool, base uint32) (done int, low, high uint32) {
	from := archsimd.BroadcastUint32x4(base)
	least, most := archsimd.BroadcastUint32x4(math.MaxUint32), archsimd.BroadcastUint32x4(0)
	reversed := archsimd.LoadInt8x16Array((*[16]int8)(reverse4[:])).ToBits()
	p := unsafe.Pointer(unsafe.SliceData(values))
	for ; done+4 <= len(values); done += 4 {
		at := (*[4]uint32)(unsafe.Add(p, 4*done))
		v := archsimd.LoadUint32x4Array(at)
		if swap {
			v = v.ReshapeToUint8s().LookupOrZero(reversed).ReshapeToUint32s()
		}
		v = v.Sub(from)
		v.StoreArray(at)
		least, most = least.Min(v), most.Max(v)
	}
	return done, least.ReduceMin(), most.ReduceMax()
}

// distances64NEON has no 64-bit minimum, but it can compare.
func distances64NEON(values []uint64, swap bool, base uint64) (done int, low, high uint64) {
	from := archsimd.BroadcastUint64x2(base)
	least, most := archsimd.BroadcastUint64x2(math.MaxUint64), archsimd.BroadcastUint64x2(0)
	reversed := archsimd.LoadInt8x16Array((*[16]int8)(reverse8[:])).ToBits()
	p := unsafe.Pointer(unsafe.SliceData(values))
	for ; done+2 <= len(values); done += 2 {
		at := (*[2]uint64)(unsafe.Add(p, 8*done))
		v := archsimd.LoadUint64x2Array(at)
		if swap {
			v = v.ReshapeToUint8s().LookupOrZero(reversed).ReshapeToUint64s()
		}
		v = v.Sub(from)
		v.StoreArray(at)
		least = v.IfElse(least.Greater(v), least)
		most = v.IfElse(v.Greater(most), most)
	}
	var lows, highs [2]uint64
	least.StoreArray(&lows)
	most.StoreArray(&highs)
	low, high = extremes(lows[:], highs[:])
	return done, low, high
}

// slotsNEON finds the minimum and the maximum of the slots as floats, which have the same order.
func slotsNEON(places []uint64, values []float64, in *grid) (done int, low, high uint64) {
	anchor, inverse := archsimd.BroadcastFloat64x2(in.anchor), archsimd.BroadcastFloat64x2(in.inverse)
	width, last := archsimd.BroadcastFloat64x2(in.width), archsimd.BroadcastFloat64x2(in.last)
	lowest, highest := archsimd.BroadcastFloat64x2(in.low), archsimd.BroadcastFloat64x2(in.high)
	one, zero := archsimd.BroadcastFloat64x2(1), archsimd.BroadcastFloat64x2(kZero)
	kLeast, kHighest := archsimd.BroadcastFloat64x2(-in.kMost), archsimd.BroadcastFloat64x2(in.kMost)
	least, most := archsimd.BroadcastFloat64x2(math.MaxFloat64), archsimd.BroadcastFloat64x2(0)
	from, to := unsafe.Pointer(unsafe.SliceData(values)), unsafe.Pointer(unsafe.SliceData(places))
	for ; done+2 <= len(values); done += 2 {
		v := archsimd.LoadFloat64x2Array((*[2]float64)(unsafe.Add(from, 8*done)))
		k := v.Sub(anchor).Mul(inverse).Floor()
		begin, next := anchor.Add(k.Mul(width)), anchor.Add(k.Add(one).Mul(width))
		if in.single {
			begin, next = begin.ConvertToFloat32().ConvertLo2ToFloat64(), next.ConvertToFloat32().ConvertLo2ToFloat64()
		}
		down, up := v.Less(begin), v.GreaterEqual(next)
		k = k.Sub(one.Masked(down)).Add(one.Masked(up)).Min(last)
		placed := v.GreaterEqual(lowest).And(v.LessEqual(highest)).
			And(k.GreaterEqual(kLeast)).And(k.LessEqual(kHighest))
		p := k.Add(zero).Masked(placed)
		p.ToBits().StoreArray((*[2]uint64)(unsafe.Add(to, 8*done)))
		least, most = least.Min(p), most.Max(p)
	}
	var lows, highs [2]uint64
	least.ToBits().StoreArray(&lows)
	most.ToBits().StoreArray(&highs)
	low, high = extremes(lows[:], highs[:])
	return done, low, high
}
