//go:build goexperiment.simd && amd64

package histogram

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

var kernelsAVX512 = kernels{
	same: sameAVX512, distances32: distances32AVX512, distances64: distances64AVX512, slots: slotsAVX512,
}

func sameAVX512(b []byte, width int) (runs blocks) {
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; (i+1)*blockBytes <= len(b); i++ {
		p := unsafe.Add(base, i*blockBytes)
		first := archsimd.BroadcastUint16x32(leader(p, width))
		if archsimd.LoadUint16x32Array((*[32]uint16)(p)).Equal(first).ToBits() == math.MaxUint32 {
			runs[i/64] |= 1 << (i % 64)
		}
	}
	archsimd.ClearAVXUpperBits()
	return runs
}

func distances32AVX512(values []uint32, swap bool, base uint32) (low, high uint32) {
	from := archsimd.BroadcastUint32x16(base)
	least, most := archsimd.BroadcastUint32x16(math.MaxUint32), archsimd.BroadcastUint32x16(0)
	reversed := archsimd.LoadInt8x64Array(&reverse4)
	p, i := unsafe.Pointer(unsafe.SliceData(values)), 0
	for ; i+16 <= len(values); i += 16 {
		at := (*[16]uint32)(unsafe.Add(p, 4*i))
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
	low, high = distances32Plain(values[i:], swap, base)
	return reduce(lows[:], highs[:], low, high)
}

func distances64AVX512(values []uint64, swap bool, base uint64) (low, high uint64) {
	from := archsimd.BroadcastUint64x8(base)
	least, most := archsimd.BroadcastUint64x8(math.MaxUint64), archsimd.BroadcastUint64x8(0)
	reversed := archsimd.LoadInt8x64Array(&reverse8)
	p, i := unsafe.Pointer(unsafe.SliceData(values)), 0
	for ; i+8 <= len(values); i += 8 {
		at := (*[8]uint64)(unsafe.Add(p, 8*i))
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
	low, high = distances64Plain(values[i:], swap, base)
	return reduce(lows[:], highs[:], low, high)
}

func slotsAVX512(places []uint64, values []float64, g *grid) (low, high uint64) {
	anchor, inverse := archsimd.BroadcastFloat64x8(g.anchor), archsimd.BroadcastFloat64x8(g.inverse)
	width, last := archsimd.BroadcastFloat64x8(g.width), archsimd.BroadcastFloat64x8(g.last)
	lowest, highest := archsimd.BroadcastFloat64x8(g.low), archsimd.BroadcastFloat64x8(g.high)
	one, zero := archsimd.BroadcastFloat64x8(1), archsimd.BroadcastFloat64x8(kZero)
	kLeast, kHighest := archsimd.BroadcastFloat64x8(-g.kMost), archsimd.BroadcastFloat64x8(g.kMost)
	least, most := archsimd.BroadcastUint64x8(math.MaxUint64), archsimd.BroadcastUint64x8(0)
	from, to := unsafe.Pointer(unsafe.SliceData(values)), unsafe.Pointer(unsafe.SliceData(places))
	i := 0
	for ; i+8 <= len(values); i += 8 {
		v := archsimd.LoadFloat64x8Array((*[8]float64)(unsafe.Add(from, 8*i)))
		k := v.Sub(anchor).Mul(inverse).FloorScaled(0)
		begin, next := anchor.Add(k.Mul(width)), anchor.Add(k.Add(one).Mul(width))
		if g.single {
			begin, next = begin.ConvertToFloat32().ConvertToFloat64(), next.ConvertToFloat32().ConvertToFloat64()
		}
		down, up := v.Less(begin), v.GreaterEqual(next)
		k = k.Sub(one.Masked(down)).Add(one.Masked(up)).Min(last)
		placed := v.GreaterEqual(lowest).And(v.LessEqual(highest)).
			And(k.GreaterEqual(kLeast)).And(k.LessEqual(kHighest))
		p := k.Add(zero).ToBits().Masked(placed)
		p.StoreArray((*[8]uint64)(unsafe.Add(to, 8*i)))
		least, most = least.Min(p), most.Max(p)
	}
	var lows, highs [8]uint64
	least.StoreArray(&lows)
	most.StoreArray(&highs)
	archsimd.ClearAVXUpperBits()
	low, high = slotsPlain(places[i:], values[i:], g)
	return reduce(lows[:], highs[:], low, high)
}
