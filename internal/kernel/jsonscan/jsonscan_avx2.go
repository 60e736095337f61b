//go:build goexperiment.simd && amd64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"
)

type (
	blockAVX2 struct{ low, high archsimd.Uint8x32 }
	maskAVX2  = uint64
)

func loadAVX2(p unsafe.Pointer) blockAVX2 {
	return blockAVX2{
		archsimd.LoadUint8x32Array((*[32]uint8)(p)), archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32))),
	}
}

func gatherAVX2(any archsimd.Uint8x32, v blockAVX2) archsimd.Uint8x32 {
	return any.Or(v.low).Or(v.high)
}

func equalAVX2(v blockAVX2, c archsimd.Uint8x32) maskAVX2 {
	return uint64(v.low.Equal(c).ToBits()) | uint64(v.high.Equal(c).ToBits())<<32
}

func sameAVX2(v, w blockAVX2) maskAVX2 {
	return uint64(v.low.Equal(w.low).ToBits()) | uint64(v.high.Equal(w.high).ToBits())<<32
}

// limitAVX2 returns the largest byte below c: AVX2 cannot compare unsigned numbers, but has their minimum.
func limitAVX2(c byte) archsimd.Uint8x32 { return archsimd.BroadcastUint8x32(c - 1) }

func belowAVX2(v blockAVX2, limit archsimd.Uint8x32) maskAVX2 {
	return uint64(v.low.Min(limit).Equal(v.low).ToBits()) | uint64(v.high.Min(limit).Equal(v.high).ToBits())<<32
}

func whiteAVX2(v blockAVX2, table archsimd.Uint8x32) maskAVX2 {
	return uint64(table.PermuteOrZeroGrouped(v.low.BitsToInt8()).Equal(v.low).ToBits()) |
		uint64(table.PermuteOrZeroGrouped(v.high.BitsToInt8()).Equal(v.high).ToBits())<<32
}

func orAVX2(v blockAVX2, c archsimd.Uint8x32) blockAVX2 { return blockAVX2{v.low.Or(c), v.high.Or(c)} }

func subAVX2(v blockAVX2, c archsimd.Uint8x32) blockAVX2 {
	return blockAVX2{v.low.Sub(c), v.high.Sub(c)}
}
