//go:build goexperiment.simd && arm64

package divide

import (
	"simd/archsimd"
	"unsafe"
)

// dividersNEON multiply no vectors of 64 bits: two lanes of four products each are more work
// than the two UMULH that the plain form is compiled to. NEON shifts right by a lane of
// negative numbers.
var dividersNEON = dividers{
	of32: [ways]divider32{shift32NEON, fit32NEON, excess32NEON},
	of64: [ways]divider64{shift64NEON, fit64Plain, excess64Plain},
}

func shift32NEON(dst, src []uint32, _ uint32, shift uint8) {
	right := archsimd.BroadcastInt32x4(-int32(shift))
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	i := 0
	for ; i+4 <= len(src); i += 4 {
		n := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(from, 4*i)))
		n.Shift(right).StoreArray((*[4]uint32)(unsafe.Add(to, 4*i)))
	}
	shift32Plain(dst[i:], src[i:], 0, shift)
}

func fit32NEON(dst, src []uint32, reciprocal uint32, shift uint8) {
	m := archsimd.BroadcastUint32x4(reciprocal)
	right := archsimd.BroadcastInt32x4(-int32(shift))
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	i := 0
	for ; i+4 <= len(src); i += 4 {
		n := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(from, 4*i)))
		high32NEON(n, m).Shift(right).StoreArray((*[4]uint32)(unsafe.Add(to, 4*i)))
	}
	fit32Plain(dst[i:], src[i:], reciprocal, shift)
}

func excess32NEON(dst, src []uint32, reciprocal uint32, shift uint8) {
	m := archsimd.BroadcastUint32x4(reciprocal)
	right := archsimd.BroadcastInt32x4(-int32(shift))
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	i := 0
	for ; i+4 <= len(src); i += 4 {
		n := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(from, 4*i)))
		t := high32NEON(n, m)
		t = n.Sub(t).ShiftAllRight(1).Add(t).Shift(right)
		t.StoreArray((*[4]uint32)(unsafe.Add(to, 4*i)))
	}
	excess32Plain(dst[i:], src[i:], reciprocal, shift)
}

// high32NEON returns the upper halves of the products: the odd lanes, taken as 32 bits.
func high32NEON(n, m archsimd.Uint32x4) archsimd.Uint32x4 {
	lower := n.MulWidenLo(m).ReshapeToUint32s()
	return lower.ConcatOdd(n.HiToLo().MulWidenLo(m).ReshapeToUint32s())
}

func shift64NEON(dst, src []uint64, _ uint64, shift uint8) {
	right := archsimd.BroadcastInt64x2(-int64(shift))
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	i := 0
	for ; i+2 <= len(src); i += 2 {
		n := archsimd.LoadUint64x2Array((*[2]uint64)(unsafe.Add(from, 8*i)))
		n.Shift(right).StoreArray((*[2]uint64)(unsafe.Add(to, 8*i)))
	}
	shift64Plain(dst[i:], src[i:], 0, shift)
}
