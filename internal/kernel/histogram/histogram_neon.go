//go:build goexperiment.simd && arm64

package histogram

import (
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

//gen:also swap64NEON
func swap32NEON(v archsimd.Uint32x4, reversed archsimd.Int8x16) archsimd.Uint32x4 {
	return v.ReshapeToUint8s().LookupOrZero(reversed.ToBits()).ReshapeToUint32s()
}

// NEON has no minimum of 64 bits, but it can compare.

func min64NEON(a, b archsimd.Uint64x2) archsimd.Uint64x2 { return b.IfElse(a.Greater(b), a) }

func max64NEON(a, b archsimd.Uint64x2) archsimd.Uint64x2 { return b.IfElse(b.Greater(a), a) }

func floorNEON(v archsimd.Float64x2) archsimd.Float64x2 { return v.Floor() }

func singleNEON(v archsimd.Float64x2) archsimd.Float64x2 {
	return v.ConvertToFloat32().ConvertLo2ToFloat64()
}

func clearNEON() {}
