//go:build goexperiment.simd && amd64

package histogram

import (
	"math"
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// sameAVX2 serves AVX-512 as well, which wins 8 % in the cache.
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

// distances64AVX2 has no 64-bit minimum and compares only signed numbers; with the top bit flipped,
// these have the order of unsigned ones.
func distances64AVX2(values []uint64, swap bool, base uint64) (done int, low, high uint64) {
	from, top := archsimd.BroadcastUint64x4(base), archsimd.BroadcastUint64x4(1<<63)
	least, most := archsimd.BroadcastInt64x4(math.MaxInt64), archsimd.BroadcastInt64x4(math.MinInt64)
	reversed := archsimd.LoadInt8x32Array((*[32]int8)(reverse64[:]))
	p := unsafe.Pointer(unsafe.SliceData(values))
	for ; done+4 <= len(values); done += 4 {
		at := (*[4]uint64)(unsafe.Add(p, 8*done))
		v := archsimd.LoadUint64x4Array(at)
		if swap {
			v = swap64AVX2(v, reversed)
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

func floorAVX2(v archsimd.Float64x4) archsimd.Float64x4 { return v.Floor() }
