//go:build goexperiment.simd && amd64

package divide

import (
	"simd/archsimd"
	"unsafe"
)

// These work like those of AVX2, with vectors of twice the length.

func shift32AVX512(dst, src []uint32, _ uint32, shift uint8) (done int) {
	right := archsimd.BroadcastUint32x16(uint32(shift))
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for ; done+16 <= len(src); done += 16 {
		n := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(from, 4*done)))
		n.ShiftRight(right).StoreArray((*[16]uint32)(unsafe.Add(to, 4*done)))
	}
	archsimd.ClearAVXUpperBits()
	return done
}

func fit32AVX512(dst, src []uint32, reciprocal uint32, shift uint8) (done int) {
	right := archsimd.BroadcastUint32x16(uint32(shift))
	m := archsimd.BroadcastUint64x8(uint64(reciprocal))
	low := archsimd.BroadcastUint64x8(0xffffffff)
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for ; done+16 <= len(src); done += 16 {
		n := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(from, 4*done)))
		t := high32AVX512(n, m, low)
		t.ShiftRight(right).StoreArray((*[16]uint32)(unsafe.Add(to, 4*done)))
	}
	archsimd.ClearAVXUpperBits()
	return done
}

func excess32AVX512(dst, src []uint32, reciprocal uint32, shift uint8) (done int) {
	right := archsimd.BroadcastUint32x16(uint32(shift))
	m := archsimd.BroadcastUint64x8(uint64(reciprocal))
	low := archsimd.BroadcastUint64x8(0xffffffff)
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for ; done+16 <= len(src); done += 16 {
		n := archsimd.LoadUint32x16Array((*[16]uint32)(unsafe.Add(from, 4*done)))
		t := high32AVX512(n, m, low)
		t = n.Sub(t).ShiftAllRight(1).Add(t).ShiftRight(right)
		t.StoreArray((*[16]uint32)(unsafe.Add(to, 4*done)))
	}
	archsimd.ClearAVXUpperBits()
	return done
}

// high32AVX512 returns the upper halves of the products. Go offers the product of even lanes only
// for AVX2, so this multiplies to whole 64-bit products.
func high32AVX512(n archsimd.Uint32x16, m, low archsimd.Uint64x8) archsimd.Uint32x16 {
	lanes := n.ReshapeToUint64s()
	even := lanes.And(low).Mul(m).ShiftAllRight(32)
	odd := lanes.ShiftAllRight(32).Mul(m)
	return odd.AndNot(low).Or(even).ReshapeToUint32s()
}

func shift64AVX512(dst, src []uint64, _ uint64, shift uint8) (done int) {
	right := archsimd.BroadcastUint64x8(uint64(shift))
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for ; done+8 <= len(src); done += 8 {
		n := archsimd.LoadUint64x8Array((*[8]uint64)(unsafe.Add(from, 8*done)))
		n.ShiftRight(right).StoreArray((*[8]uint64)(unsafe.Add(to, 8*done)))
	}
	archsimd.ClearAVXUpperBits()
	return done
}
