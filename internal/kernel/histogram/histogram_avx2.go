//go:build goexperiment.simd && amd64

package histogram

import (
	"math"
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

func sameAVX2(b []byte, width int) (runs uint64) {
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := range len(b) / blockBytes {
		p := unsafe.Add(base, i*blockBytes)
		first := archsimd.BroadcastUint16x16(leader(p, width))
		lower := archsimd.LoadUint16x16Array((*[16]uint16)(p)).Xor(first)
		upper := archsimd.LoadUint16x16Array((*[16]uint16)(unsafe.Add(p, 32))).Xor(first)
		if lower.Or(upper).IsZero() {
			runs |= 1 << (uint(i) % sectionBlocks)
		}
	}
	archsimd.ClearAVXUpperBits()
	return runs
}

// othersAVX2 moves what it lists of each eight bytes together, without a branch. It serves AVX-512 as
// well.
func othersAVX2(list *others, b []byte, usual uint16, width int, table *compaction) (listed int) {
	most, ones := archsimd.BroadcastUint16x8(usual), archsimd.BroadcastUint8x16(0xff)
	if width == 1 {
		most = archsimd.BroadcastUint8x16(uint8(usual)).ReshapeToUint16s()
	}
	upper := archsimd.BroadcastUint8x16(8)
	base, out := unsafe.Pointer(unsafe.SliceData(b)), unsafe.Pointer(list)
	for i := 0; i+16 <= len(b) && i < sectionBytes; i += 16 {
		v := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(base, i)))
		var k uint16
		if width == 1 {
			k = ^v.Equal(most.ReshapeToUint8s()).ToBits()
		} else {
			k = ^v.ReshapeToUint16s().Equal(most).ToInt16x8().ToBits().ReshapeToUint8s().Equal(ones).ToBits()
		}
		low := archsimd.LoadUint8x16Array(&table[uint8(k)])
		high := archsimd.LoadUint8x16Array(&table[uint8(k>>8)]).Add(upper)
		v.PermuteOrZero(low.BitsToInt8()).StoreArray((*[16]uint8)(unsafe.Add(out, listed)))
		listed += bits.OnesCount64(uint64(k & 0xff))
		v.PermuteOrZero(high.BitsToInt8()).StoreArray((*[16]uint8)(unsafe.Add(out, listed)))
		listed += bits.OnesCount64(uint64(k >> 8))
	}
	archsimd.ClearAVXUpperBits()
	return listed
}

func distances32AVX2(values []uint32, swap bool, base uint32) (done int, low, high uint32) {
	from := archsimd.BroadcastUint32x8(base)
	least, most := archsimd.BroadcastUint32x8(math.MaxUint32), archsimd.BroadcastUint32x8(0)
	reversed := archsimd.LoadInt8x32Array((*[32]int8)(reverse4[:]))
	p := unsafe.Pointer(unsafe.SliceData(values))
	for ; done+8 <= len(values); done += 8 {
		at := (*[8]uint32)(unsafe.Add(p, 4*done))
		v := archsimd.LoadUint32x8Array(at)
		if swap {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(reversed).ReshapeToUint32s()
		}
		v = v.Sub(from)
		v.StoreArray(at)
		least, most = least.Min(v), most.Max(v)
	}
	var lows, highs [8]uint32
	least.StoreArray(&lows)
	most.StoreArray(&highs)
	archsimd.ClearAVXUpperBits()
	low, high = extremes(lows[:], highs[:])
	return done, low, high
}

// distances64AVX2 has no 64-bit minimum and compares only signed numbers; with the top bit flipped,
// these have the order of unsigned ones.
func distances64AVX2(values []uint64, swap bool, base uint64) (done int, low, high uint64) {
	from, top := archsimd.BroadcastUint64x4(base), archsimd.BroadcastUint64x4(1<<63)
	least, most := archsimd.BroadcastInt64x4(math.MaxInt64), archsimd.BroadcastInt64x4(math.MinInt64)
	reversed := archsimd.LoadInt8x32Array((*[32]int8)(reverse8[:]))
	p := unsafe.Pointer(unsafe.SliceData(values))
	for ; done+4 <= len(values); done += 4 {
		at := (*[4]uint64)(unsafe.Add(p, 8*done))
		v := archsimd.LoadUint64x4Array(at)
		if swap {
			v = v.ReshapeToUint8s().PermuteOrZeroGrouped(reversed).ReshapeToUint64s()
		}
		v = v.Sub(from)
		v.StoreArray(at)
		flipped := v.Xor(top).BitsToInt64()
		least = flipped.IfElse(least.Greater(flipped), least)
		most = flipped.IfElse(flipped.Greater(most), most)
	}
	var lows, highs [4]uint64
	least.ToBits().Xor(top).StoreArray(&lows)
	most.ToBits().Xor(top).StoreArray(&highs)
	archsimd.ClearAVXUpperBits()
	low, high = extremes(lows[:], highs[:])
	return done, low, high
}

// slotsAVX2 finds the minimum and the maximum of the slots as floats, which have the same order.
func slotsAVX2(places []uint64, values []float64, in *grid) (done int, low, high uint64) {
	anchor, inverse := archsimd.BroadcastFloat64x4(in.anchor), archsimd.BroadcastFloat64x4(in.inverse)
	width, last := archsimd.BroadcastFloat64x4(in.width), archsimd.BroadcastFloat64x4(in.last)
	lowest, highest := archsimd.BroadcastFloat64x4(in.low), archsimd.BroadcastFloat64x4(in.high)
	one, zero := archsimd.BroadcastFloat64x4(1), archsimd.BroadcastFloat64x4(kZero)
	kLeast, kHighest := archsimd.BroadcastFloat64x4(-in.kMost), archsimd.BroadcastFloat64x4(in.kMost)
	least, most := archsimd.BroadcastFloat64x4(math.MaxFloat64), archsimd.BroadcastFloat64x4(0)
	from, to := unsafe.Pointer(unsafe.SliceData(values)), unsafe.Pointer(unsafe.SliceData(places))
	for ; done+4 <= len(values); done += 4 {
		v := archsimd.LoadFloat64x4Array((*[4]float64)(unsafe.Add(from, 8*done)))
		k := v.Sub(anchor).Mul(inverse).Floor()
		begin, next := anchor.Add(k.Mul(width)), anchor.Add(k.Add(one).Mul(width))
		if in.single {
			begin, next = begin.ConvertToFloat32().ConvertToFloat64(), next.ConvertToFloat32().ConvertToFloat64()
		}
		down, up := v.Less(begin), v.GreaterEqual(next)
		k = k.Sub(one.Masked(down)).Add(one.Masked(up)).Min(last)
		placed := v.GreaterEqual(lowest).And(v.LessEqual(highest)).
			And(k.GreaterEqual(kLeast)).And(k.LessEqual(kHighest))
		p := k.Add(zero).Masked(placed)
		p.ToBits().StoreArray((*[4]uint64)(unsafe.Add(to, 8*done)))
		least, most = least.Min(p), most.Max(p)
	}
	var lows, highs [4]uint64
	least.ToBits().StoreArray(&lows)
	most.ToBits().StoreArray(&highs)
	archsimd.ClearAVXUpperBits()
	low, high = extremes(lows[:], highs[:])
	return done, low, high
}
