//go:build goexperiment.simd && amd64

package literals

import (
	"simd/archsimd"
	"unsafe"
)

// markAVX2 tests 32 places at a time. See nibbles.go.
func markAVX2(f *nibbles, b []byte, marks []uint64) {
	_ = b[:64*len(marks)+window-1]
	l0, h0 := tableAVX2(&f.low[0]), tableAVX2(&f.high[0])
	l1, h1 := tableAVX2(&f.low[1]), tableAVX2(&f.high[1])
	l2, h2 := tableAVX2(&f.low[2]), tableAVX2(&f.high[2])
	l3, h3 := tableAVX2(&f.low[3]), tableAVX2(&f.high[3])
	half, zero := archsimd.BroadcastUint8x32(15), archsimd.BroadcastUint8x32(0)
	p := unsafe.Pointer(unsafe.SliceData(b))
	for i := range marks {
		var word uint64
		for part := 0; part < 64; part += 32 {
			q := unsafe.Add(p, 64*i+part)
			v0 := archsimd.LoadUint8x32Array((*[32]uint8)(q))
			v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(q, 1)))
			v2 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(q, 2)))
			v3 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(q, 3)))
			fit := l0.PermuteOrZeroGrouped(v0.And(half).BitsToInt8()).
				And(h0.PermuteOrZeroGrouped(upperAVX2(v0, half))).
				And(l1.PermuteOrZeroGrouped(v1.And(half).BitsToInt8())).
				And(h1.PermuteOrZeroGrouped(upperAVX2(v1, half))).
				And(l2.PermuteOrZeroGrouped(v2.And(half).BitsToInt8())).
				And(h2.PermuteOrZeroGrouped(upperAVX2(v2, half))).
				And(l3.PermuteOrZeroGrouped(v3.And(half).BitsToInt8())).
				And(h3.PermuteOrZeroGrouped(upperAVX2(v3, half)))
			word |= uint64(^fit.Equal(zero).ToBits()) << part
		}
		marks[i] |= word
	}
	archsimd.ClearAVXUpperBits()
}

// upperAVX2 returns the upper halves of bytes.
func upperAVX2(v, half archsimd.Uint8x32) archsimd.Int8x32 {
	return v.ReshapeToUint16s().ShiftAllRight(4).ReshapeToUint8s().And(half).BitsToInt8()
}

// tableAVX2 returns a table for both halves of a vector.
func tableAVX2(t *[16]uint8) archsimd.Uint8x32 {
	once := archsimd.LoadUint8x16Array(t)
	return archsimd.Uint8x32{}.SetLo(once).SetHi(once)
}
