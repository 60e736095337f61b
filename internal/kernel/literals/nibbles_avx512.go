//go:build goexperiment.simd && amd64

package literals

import (
	"simd/archsimd"
	"unsafe"
)

// markAVX512 tests 64 places at a time. See nibbles.go.
func markAVX512(f *nibbles, b []byte, marks []uint64) {
	_ = b[:64*len(marks)+window-1]
	l0, h0 := tableAVX512(&f.low[0]), tableAVX512(&f.high[0])
	l1, h1 := tableAVX512(&f.low[1]), tableAVX512(&f.high[1])
	l2, h2 := tableAVX512(&f.low[2]), tableAVX512(&f.high[2])
	l3, h3 := tableAVX512(&f.low[3]), tableAVX512(&f.high[3])
	half, zero := archsimd.BroadcastUint8x64(15), archsimd.BroadcastUint8x64(0)
	p := unsafe.Pointer(unsafe.SliceData(b))
	for i := range marks {
		q := unsafe.Add(p, 64*i)
		v0 := archsimd.LoadUint8x64Array((*[64]uint8)(q))
		v1 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(q, 1)))
		v2 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(q, 2)))
		v3 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(q, 3)))
		fit := l0.PermuteOrZeroGrouped(v0.And(half).BitsToInt8()).
			And(h0.PermuteOrZeroGrouped(upperAVX512(v0, half))).
			And(l1.PermuteOrZeroGrouped(v1.And(half).BitsToInt8())).
			And(h1.PermuteOrZeroGrouped(upperAVX512(v1, half))).
			And(l2.PermuteOrZeroGrouped(v2.And(half).BitsToInt8())).
			And(h2.PermuteOrZeroGrouped(upperAVX512(v2, half))).
			And(l3.PermuteOrZeroGrouped(v3.And(half).BitsToInt8())).
			And(h3.PermuteOrZeroGrouped(upperAVX512(v3, half)))
		marks[i] |= fit.NotEqual(zero).ToBits()
	}
	archsimd.ClearAVXUpperBits()
}

// upperAVX512 returns the upper halves of bytes.
func upperAVX512(v, half archsimd.Uint8x64) archsimd.Int8x64 {
	return v.ReshapeToUint16s().ShiftAllRight(4).ReshapeToUint8s().And(half).BitsToInt8()
}

// tableAVX512 returns a table for the four quarters of a vector.
func tableAVX512(t *[16]uint8) archsimd.Uint8x64 {
	once := archsimd.LoadUint8x16Array(t)
	twice := archsimd.Uint8x32{}.SetLo(once).SetHi(once)
	return archsimd.Uint8x64{}.SetLo(twice).SetHi(twice)
}
