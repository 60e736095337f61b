//go:build goexperiment.simd && amd64

package divide

import (
	"simd/archsimd"
	"unsafe"
)

// dividersAVX512 do as those of AVX2, with vectors of twice the length. Go offers the
// product of even lanes for AVX2 only; here whole products of 64 bits take its place. That
// pays for 32 bits; for 64 it is no faster where the instruction is fast, and slower where
// it is three.
var dividersAVX512 = dividers{
	of32: [ways]divider32{shift32AVX512, fit32AVX512, excess32AVX512},
	of64: [ways]divider64{shift64AVX512, fit64AVX2, excess64AVX2},
}

func shift32AVX512(dst, src []uint32, _ uint32, shift uint8) {
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	i := 0
	for ; i+16 <= len(src); i += 16 {
		n := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(from, 4*i)))
		n.ShiftAllRight(uint64(shift)).StoreArray((*[16]uint32)(unsafe.Add(to, 4*i)))
	}
	archsimd.ClearAVXUpperBits()
	shift32AVX2(dst[i:], src[i:], 0, shift)
}

func fit32AVX512(dst, src []uint32, reciprocal uint32, shift uint8) {
	m := archsimd.BroadcastUint64x8(uint64(reciprocal))
	low := archsimd.BroadcastUint64x8(0xffffffff)
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	i := 0
	for ; i+16 <= len(src); i += 16 {
		n := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(from, 4*i)))
		t := high32AVX512(n, m, low)
		t.ShiftAllRight(uint64(shift)).StoreArray((*[16]uint32)(unsafe.Add(to, 4*i)))
	}
	archsimd.ClearAVXUpperBits()
	fit32AVX2(dst[i:], src[i:], reciprocal, shift)
}

func excess32AVX512(dst, src []uint32, reciprocal uint32, shift uint8) {
	m := archsimd.BroadcastUint64x8(uint64(reciprocal))
	low := archsimd.BroadcastUint64x8(0xffffffff)
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	i := 0
	for ; i+16 <= len(src); i += 16 {
		n := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(from, 4*i)))
		t := high32AVX512(n, m, low)
		t = n.Sub(t).ShiftAllRight(1).Add(t).ShiftAllRight(uint64(shift))
		t.StoreArray((*[16]uint32)(unsafe.Add(to, 4*i)))
	}
	archsimd.ClearAVXUpperBits()
	excess32AVX2(dst[i:], src[i:], reciprocal, shift)
}

// high32AVX512 returns the upper halves of the products.
func high32AVX512(n archsimd.Uint32x16, m, low archsimd.Uint64x8) archsimd.Uint32x16 {
	lanes := n.ReshapeToUint64s()
	even := lanes.And(low).Mul(m).ShiftAllRight(32)
	odd := lanes.ShiftAllRight(32).Mul(m)
	return odd.AndNot(low).Or(even).ReshapeToUint32s()
}

func shift64AVX512(dst, src []uint64, _ uint64, shift uint8) {
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	i := 0
	for ; i+8 <= len(src); i += 8 {
		n := archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(from, 8*i)))
		n.ShiftAllRight(uint64(shift)).StoreArray((*[8]uint64)(unsafe.Add(to, 8*i)))
	}
	archsimd.ClearAVXUpperBits()
	shift64AVX2(dst[i:], src[i:], 0, shift)
}
