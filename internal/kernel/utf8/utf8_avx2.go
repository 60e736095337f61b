//go:build goexperiment.simd && amd64

package utf8

import (
	"simd/archsimd"
	"unsafe"
)

// blocksAVX2 works as described in utf8.go. A block of pure ASCII is valid unless it follows a truncated character.
func blocksAVX2(b []byte) bool {
	const blockBytes = bytesAVX2
	uppers := archsimd.LoadUint8x32Array((*[32]uint8)(uppers[:]))
	lowers := archsimd.LoadUint8x32Array((*[32]uint8)(lowers[:]))
	uppersNext := archsimd.LoadUint8x32Array((*[32]uint8)(uppersNext[:]))
	lasts := archsimd.LoadUint8x32Array((*[32]uint8)(lasts[32:]))
	half, bit7 := archsimd.BroadcastUint8x32(0x0f), archsimd.BroadcastUint8x32(0x80)
	three, four := archsimd.BroadcastUint8x32(takeOfThree), archsimd.BroadcastUint8x32(takeOfFour)
	var before, cut, faults archsimd.Uint8x32
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+blockBytes <= len(b); {
		v := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(base, i)))
		if v.And(bit7).IsZero() {
			faults = faults.Or(cut)
			before, cut = v, v.SubSaturated(lasts) // these are zero
			// More ASCII is likely to follow. Any ASCII vector can serve as the one before.
			for ; i+5*blockBytes <= len(b); i += 4 * blockBytes {
				p := unsafe.Add(base, i+blockBytes)
				some := archsimd.LoadUint8x32Array((*[32]uint8)(p)).
					Or(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))).
					Or(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 64)))).
					Or(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 96))))
				if !some.And(bit7).IsZero() {
					break
				}
			}
			i += blockBytes
			continue
		}
		// In a text of several scripts a branch for each block would often be guessed wrongly.
		for behind := min(i+mixedBytes, len(b)-blockBytes+1); i < behind; i += blockBytes {
			v := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(base, i)))
			rows := before.ConcatPermute128Scalars(1, 2, v)
			v1 := v.ConcatShiftBytesRightGrouped(rows, 15)
			v2 := v.ConcatShiftBytesRightGrouped(rows, 14)
			v3 := v.ConcatShiftBytesRightGrouped(rows, 13)
			upper1 := v1.ReshapeToUint16s().ShiftAllRight(4).ReshapeToUint8s().And(half)
			upper := v.ReshapeToUint16s().ShiftAllRight(4).ReshapeToUint8s().And(half)
			guilty := uppers.PermuteOrZeroGrouped(upper1.BitsToInt8()).
				And(lowers.PermuteOrZeroGrouped(v1.And(half).BitsToInt8())).
				And(uppersNext.PermuteOrZeroGrouped(upper.BitsToInt8()))
			must := v2.SubSaturated(three).Or(v3.SubSaturated(four)).And(bit7)
			faults = faults.Or(guilty.Xor(must))
			before, cut = v, v.SubSaturated(lasts)
		}
	}
	if !faults.IsZero() { // a branch, so that no vector is used after the clearing
		archsimd.ClearAVXUpperBits()
		return false
	}
	archsimd.ClearAVXUpperBits()
	return true
}
