//go:build goexperiment.simd && amd64

package divide

import (
	"simd/archsimd"
	"unsafe"
)

// Each lane has its own shift count. A common count would have to be moved to a vector register
// again for every vector.

//gen:also shift64AVX2
func shift32AVX2(dst, src []uint32, _ uint32, shift uint8) (done int) {
	right := archsimd.BroadcastUint32x8(uint32(shift))
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for ; done+32/width32 <= len(src); done += 32 / width32 {
		n := archsimd.LoadUint32x8Array((*[8]uint32)(unsafe.Add(from, width32*done)))
		n.ShiftRight(right).StoreArray((*[8]uint32)(unsafe.Add(to, width32*done)))
	}
	archsimd.ClearAVXUpperBits()
	return done
}

//gen:also fit64AVX2
func fit32AVX2(dst, src []uint32, reciprocal uint32, shift uint8) (done int) {
	right := archsimd.BroadcastUint32x8(uint32(shift))
	m0, m1, part := factor32AVX2(reciprocal)
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for ; done+32/width32 <= len(src); done += 32 / width32 {
		n := archsimd.LoadUint32x8Array((*[8]uint32)(unsafe.Add(from, width32*done)))
		t := high32AVX2(n, m0, m1, part)
		t.ShiftRight(right).StoreArray((*[8]uint32)(unsafe.Add(to, width32*done)))
	}
	archsimd.ClearAVXUpperBits()
	return done
}

//gen:also excess64AVX2
func excess32AVX2(dst, src []uint32, reciprocal uint32, shift uint8) (done int) {
	right := archsimd.BroadcastUint32x8(uint32(shift))
	m0, m1, part := factor32AVX2(reciprocal)
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for ; done+32/width32 <= len(src); done += 32 / width32 {
		n := archsimd.LoadUint32x8Array((*[8]uint32)(unsafe.Add(from, width32*done)))
		t := high32AVX2(n, m0, m1, part)
		t = n.Sub(t).ShiftAllRight(1).Add(t).ShiftRight(right)
		t.StoreArray((*[8]uint32)(unsafe.Add(to, width32*done)))
	}
	archsimd.ClearAVXUpperBits()
	return done
}

// factor32AVX2 returns what high32AVX2 multiplies by.
func factor32AVX2(reciprocal uint32) (m, m1 archsimd.Uint32x8, upper archsimd.Uint64x4) {
	m = archsimd.BroadcastUint32x8(reciprocal)
	return m, m, archsimd.BroadcastUint64x4(0xffffffff << 32)
}

// high32AVX2 returns the upper halves of the products. It multiplies the even and the odd lanes
// separately, because a product takes the space of two lanes.
func high32AVX2(n, m, _ archsimd.Uint32x8, upper archsimd.Uint64x4) archsimd.Uint32x8 {
	even := n.MulWidenEven(m).ShiftAllRight(32)
	odd := n.ReshapeToUint64s().ShiftAllRight(32).ReshapeToUint32s().MulWidenEven(m)
	return odd.And(upper).Or(even).ReshapeToUint32s()
}

// factor64AVX2 returns what high64AVX2 multiplies by: the halves of the reciprocal.
func factor64AVX2(reciprocal uint64) (mLow, mHigh, low archsimd.Uint64x4) {
	return archsimd.BroadcastUint64x4(reciprocal & 0xffffffff), archsimd.BroadcastUint64x4(reciprocal >> 32),
		archsimd.BroadcastUint64x4(0xffffffff)
}

// high64AVX2 returns the upper halves of the products, from four products of halves. Neither sum
// overflows: the square of 2^32-1 leaves room for two more halves.
func high64AVX2(n, mLow, mHigh, low archsimd.Uint64x4) archsimd.Uint64x4 {
	n0, n1 := n.ReshapeToUint32s(), n.ShiftAllRight(32).ReshapeToUint32s()
	m0, m1 := mLow.ReshapeToUint32s(), mHigh.ReshapeToUint32s()
	t := n0.MulWidenEven(m0).ShiftAllRight(32).Add(n1.MulWidenEven(m0))
	u := n0.MulWidenEven(m1).Add(t.And(low))
	return n1.MulWidenEven(m1).Add(t.ShiftAllRight(32)).Add(u.ShiftAllRight(32))
}
