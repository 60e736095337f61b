//go:build goexperiment.simd && arm64

package utf8

import (
	"simd/archsimd"
	"unsafe"
)

// blocksNEON works as described in utf8.go, with vectors half as long as those of AVX2.
func blocksNEON(b []byte) bool {
	const blockBytes = bytesNEON
	uppers := archsimd.LoadUint8x16Array((*[16]uint8)(uppers[:]))
	lowers := archsimd.LoadUint8x16Array((*[16]uint8)(lowers[:]))
	uppersNext := archsimd.LoadUint8x16Array((*[16]uint8)(uppersNext[:]))
	lasts := archsimd.LoadUint8x16Array((*[16]uint8)(lasts[48:]))
	half, bit7 := archsimd.BroadcastUint8x16(0x0f), archsimd.BroadcastUint8x16(0x80)
	three, four := archsimd.BroadcastUint8x16(takeOfThree), archsimd.BroadcastUint8x16(takeOfFour)
	var before, cut, faults archsimd.Uint8x16
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+blockBytes <= len(b); i += blockBytes {
		v := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(base, i)))
		if v.ReduceMax() < 0x80 {
			faults = faults.Or(cut)
			before, cut = v, v.SubSaturated(lasts) // these are zero
			continue
		}
		v1 := v.ConcatShiftBytesRight(before, 15)
		v2 := v.ConcatShiftBytesRight(before, 14)
		v3 := v.ConcatShiftBytesRight(before, 13)
		guilty := uppers.LookupOrZero(v1.ShiftAllRight(4)).And(lowers.LookupOrZero(v1.And(half))).
			And(uppersNext.LookupOrZero(v.ShiftAllRight(4)))
		must := v2.SubSaturated(three).Or(v3.SubSaturated(four)).And(bit7)
		faults = faults.Or(guilty.Xor(must))
		before, cut = v, v.SubSaturated(lasts)
	}
	return faults.ReduceMax() == 0
}
