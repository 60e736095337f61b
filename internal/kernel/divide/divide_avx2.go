//go:build goexperiment.simd && amd64

package divide

import (
	"simd/archsimd"
	"unsafe"
)

// dividersAVX2 multiply the even and the odd lanes of 32 bits apart, as the products need
// the room of both, and put the upper halves together again.
var dividersAVX2 = dividers{
	of32: [ways]divider32{shift32AVX2, fit32AVX2, excess32AVX2},
	of64: [ways]divider64{shift64AVX2, fit64AVX2, excess64AVX2},
}

func shift32AVX2(dst, src []uint32, _ uint32, shift uint8) {
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	i := 0
	for ; i+8 <= len(src); i += 8 {
		n := archsimd.LoadUint32x8Array((*[8]uint32)(unsafe.Add(from, 4*i)))
		n.ShiftAllRight(uint64(shift)).StoreArray((*[8]uint32)(unsafe.Add(to, 4*i)))
	}
	archsimd.ClearAVXUpperBits()
	shift32Plain(dst[i:], src[i:], 0, shift)
}

func fit32AVX2(dst, src []uint32, reciprocal uint32, shift uint8) {
	m := archsimd.BroadcastUint32x8(reciprocal)
	upper := archsimd.BroadcastUint64x4(0xffffffff << 32)
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	i := 0
	for ; i+8 <= len(src); i += 8 {
		n := archsimd.LoadUint32x8Array((*[8]uint32)(unsafe.Add(from, 4*i)))
		t := high32AVX2(n, m, upper)
		t.ShiftAllRight(uint64(shift)).StoreArray((*[8]uint32)(unsafe.Add(to, 4*i)))
	}
	archsimd.ClearAVXUpperBits()
	fit32Plain(dst[i:], src[i:], reciprocal, shift)
}

func excess32AVX2(dst, src []uint32, reciprocal uint32, shift uint8) {
	m := archsimd.BroadcastUint32x8(reciprocal)
	upper := archsimd.BroadcastUint64x4(0xffffffff << 32)
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	i := 0
	for ; i+8 <= len(src); i += 8 {
		n := archsimd.LoadUint32x8Array((*[8]uint32)(unsafe.Add(from, 4*i)))
		t := high32AVX2(n, m, upper)
		t = n.Sub(t).ShiftAllRight(1).Add(t).ShiftAllRight(uint64(shift))
		t.StoreArray((*[8]uint32)(unsafe.Add(to, 4*i)))
	}
	archsimd.ClearAVXUpperBits()
	excess32Plain(dst[i:], src[i:], reciprocal, shift)
}

// high32AVX2 returns the upper halves of the products.
func high32AVX2(n, m archsimd.Uint32x8, upper archsimd.Uint64x4) archsimd.Uint32x8 {
	even := n.MulWidenEven(m).ShiftAllRight(32)
	odd := n.ReshapeToUint64s().ShiftAllRight(32).ReshapeToUint32s().MulWidenEven(m)
	return odd.And(upper).Or(even).ReshapeToUint32s()
}

func shift64AVX2(dst, src []uint64, _ uint64, shift uint8) {
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	i := 0
	for ; i+4 <= len(src); i += 4 {
		n := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(from, 8*i)))
		n.ShiftAllRight(uint64(shift)).StoreArray((*[4]uint64)(unsafe.Add(to, 8*i)))
	}
	archsimd.ClearAVXUpperBits()
	shift64Plain(dst[i:], src[i:], 0, shift)
}

func fit64AVX2(dst, src []uint64, reciprocal uint64, shift uint8) {
	mLow := archsimd.BroadcastUint64x4(reciprocal & 0xffffffff)
	mHigh := archsimd.BroadcastUint64x4(reciprocal >> 32)
	low := archsimd.BroadcastUint64x4(0xffffffff)
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	i := 0
	for ; i+4 <= len(src); i += 4 {
		n := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(from, 8*i)))
		t := high64AVX2(n, mLow, mHigh, low)
		t.ShiftAllRight(uint64(shift)).StoreArray((*[4]uint64)(unsafe.Add(to, 8*i)))
	}
	archsimd.ClearAVXUpperBits()
	fit64Plain(dst[i:], src[i:], reciprocal, shift)
}

func excess64AVX2(dst, src []uint64, reciprocal uint64, shift uint8) {
	mLow := archsimd.BroadcastUint64x4(reciprocal & 0xffffffff)
	mHigh := archsimd.BroadcastUint64x4(reciprocal >> 32)
	low := archsimd.BroadcastUint64x4(0xffffffff)
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	i := 0
	for ; i+4 <= len(src); i += 4 {
		n := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(from, 8*i)))
		t := high64AVX2(n, mLow, mHigh, low)
		t = n.Sub(t).ShiftAllRight(1).Add(t).ShiftAllRight(uint64(shift))
		t.StoreArray((*[4]uint64)(unsafe.Add(to, 8*i)))
	}
	archsimd.ClearAVXUpperBits()
	excess64Plain(dst[i:], src[i:], reciprocal, shift)
}

// high64AVX2 returns the upper halves of the products, from four products of halves.
// Neither sum on the way overflows: the square of 2^32-1 leaves room for two more halves.
func high64AVX2(n, mLow, mHigh, low archsimd.Uint64x4) archsimd.Uint64x4 {
	n0, n1 := n.ReshapeToUint32s(), n.ShiftAllRight(32).ReshapeToUint32s()
	m0, m1 := mLow.ReshapeToUint32s(), mHigh.ReshapeToUint32s()
	t := n0.MulWidenEven(m0).ShiftAllRight(32).Add(n1.MulWidenEven(m0))
	u := n0.MulWidenEven(m1).Add(t.And(low))
	return n1.MulWidenEven(m1).Add(t.ShiftAllRight(32)).Add(u.ShiftAllRight(32))
}
