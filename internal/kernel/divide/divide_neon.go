//go:build goexperiment.simd && arm64

package divide

import (
	"simd/archsimd"
	"unsafe"
)

// NEON shifts right by negative counts, one per lane.

//gen:also shift64NEON
func shift32NEON(dst, src []uint32, _ uint32, shift uint8) (done int) {
	right := archsimd.BroadcastInt32x4(-int32(shift))
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for ; done+16/width32 <= len(src); done += 16 / width32 {
		n := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(from, width32*done)))
		n.Shift(right).StoreArray((*[4]uint32)(unsafe.Add(to, width32*done)))
	}
	return done
}

func fit32NEON(dst, src []uint32, reciprocal uint32, shift uint8) (done int) {
	m := archsimd.BroadcastUint32x4(reciprocal)
	right := archsimd.BroadcastInt32x4(-int32(shift))
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for ; done+4 <= len(src); done += 4 {
		n := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(from, 4*done)))
		high32NEON(n, m).Shift(right).StoreArray((*[4]uint32)(unsafe.Add(to, 4*done)))
	}
	return done
}

func excess32NEON(dst, src []uint32, reciprocal uint32, shift uint8) (done int) {
	m := archsimd.BroadcastUint32x4(reciprocal)
	right := archsimd.BroadcastInt32x4(-int32(shift))
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for ; done+4 <= len(src); done += 4 {
		n := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(from, 4*done)))
		t := high32NEON(n, m)
		t = n.Sub(t).ShiftAllRight(1).Add(t).Shift(right)
		t.StoreArray((*[4]uint32)(unsafe.Add(to, 4*done)))
	}
	return done
}

// high32NEON returns the upper halves of the products: their odd lanes, seen as 32-bit lanes.
func high32NEON(n, m archsimd.Uint32x4) archsimd.Uint32x4 {
	lower := n.MulWidenLo(m).ReshapeToUint32s()
	return lower.ConcatOdd(n.HiToLo().MulWidenLo(m).ReshapeToUint32s())
}
