//go:build goexperiment.simd && amd64

package fields

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

func equalAVX2(v blockAVX2, c archsimd.Uint8x32) maskAVX2 {
	return uint64(v.low.Equal(c).ToBits()) | uint64(v.high.Equal(c).ToBits())<<32
}
