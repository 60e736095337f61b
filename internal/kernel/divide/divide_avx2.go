//go:build goexperiment.simd && amd64

package divide

import (
	"simd/archsimd"
	"unsafe"
)

// Each lane has its own shift count. A common count would have to be moved to a vector register
// again for every vector.

func shift32AVX2(dst, src []uint32, _ uint32, shift uint8) (done int) {
	right := archsimd.BroadcastUint32x8(uint32(shift))
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for ; done+8 <= len(src); done += 8 {
		n := archsimd.LoadUint32x8Array((*[8]uint32)(unsafe.Add(from, 4*done)))
		n.ShiftRight(right).StoreArray((*[8]uint32)(unsafe.Add(to, 4*done)))
	}
	archsimd.ClearAVXUpperBits()
	return done
}

func fit32AVX2(dst, src []uint32, reciprocal uint32, shift uint8) (done int) {
	right := archsimd.BroadcastUint32x8(uint32(shift))
	m := archsimd.BroadcastUint32x8(reciprocal)
	upper := archsimd.BroadcastUint64x4(0xffffffff << 32)
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for ; done+8 <= len(src); done += 8 {
		n := archsimd.LoadUint32x8Array((*[8]uint32)(unsafe.Add(from, 4*done)))
		t := high32AVX2(n, m, upper)
		t.ShiftRight(right).StoreArray((*[8]uint32)(unsafe.Add(to, 4*done)))
	}
	archsimd.ClearAVXUpperBits()
	return done
}

func excess32AVX2(dst, src []uint32, reciprocal uint32, shift uint8) (done int) {
	right := archsimd.BroadcastUint32x8(uint32(shift))
	m := archsimd.BroadcastUint32x8(reciprocal)
	upper := archsimd.BroadcastUint64x4(0xffffffff << 32)
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for ; done+8 <= len(src); done += 8 {
		n := archsimd.LoadUint32x8Array((*[8]uint32)(unsafe.Add(from, 4*done)))
		t := high32AVX2(n, m, upper)
		t = n.Sub(t).ShiftAllRight(1).Add(t).ShiftRight(right)
		t.StoreArray((*[8]uint32)(unsafe.Add(to, 4*done)))
	}
	archsimd.ClearAVXUpperBits()
	return done
}

// high32AVX2 returns the upper halves of the products. It multiplies the even and the odd lanes
// separately, because a product takes the space of two lanes.
func high32AVX2(n, m archsimd.Uint32x8, upper archsimd.Uint64x4) archsimd.Uint32x8 {
	even := n.MulWidenEven(m).ShiftAllRight(32)
	odd := n.ReshapeToUint64s().ShiftAllRight(32).ReshapeToUint32s().MulWidenEven(m)
	return odd.And(upper).Or(even).ReshapeToUint32s()
}

func shift64AVX2(dst, src []uint64, _ uint64, shift uint8) (done int) {
	right := archsimd.BroadcastUint64x4(uint64(shift))
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for ; done+4 <= len(src); done += 4 {
		n := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(from, 8*done)))
		n.ShiftRight(right).StoreArray((*[4]uint64)(unsafe.Add(to, 8*done)))
	}
	archsimd.ClearAVXUpperBits()
	return done
}

func fit64AVX2(dst, src []uint64, reciprocal uint64, shift uint8) (done int) {
	right := archsimd.BroadcastUint64x4(uint64(shift))
	mLow := archsimd.BroadcastUint64x4(reciprocal & 0xffffffff)
	mHigh := archsimd.BroadcastUint64x4(reciprocal >> 32)
	low := archsimd.BroadcastUint64x4(0xffffffff)
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for ; done+4 <= len(src); done += 4 {
		n := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(from, 8*done)))
		t := high64AVX2(n, mLow, mHigh, low)
		t.ShiftRight(right).StoreArray((*[4]uint64)(unsafe.Add(to, 8*done)))
	}
	archsimd.ClearAVXUpperBits()
	return done
}

func excess64AVX2(dst, src []uint64, reciprocal uint64, shift uint8) (done int) {
	right := archsimd.BroadcastUint64x4(uint64(shift))
	mLow := archsimd.BroadcastUint64x4(reciprocal & 0xffffffff)
	mHigh := archsimd.BroadcastUint64x4(reciprocal >> 32)
	low := archsimd.BroadcastUint64x4(0xffffffff)
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for ; done+4 <= len(src); done += 4 {
		n := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(from, 8*done)))
		t := high64AVX2(n, mLow, mHigh, low)
		t = n.Sub(t).ShiftAllRight(1).Add(t).ShiftRight(right)
		t.StoreArray((*[4]uint64)(unsafe.Add(to, 8*done)))
	}
	archsimd.ClearAVXUpperBits()
	return done
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
