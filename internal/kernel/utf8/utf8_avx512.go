//go:build goexperiment.simd && amd64

package utf8

import (
	"simd/archsimd"
	"unsafe"
)

// blocksAVX512 works as described in utf8.go. A block of pure ASCII is valid unless it follows a
// truncated character.
func blocksAVX512(b []byte) bool {
	const blockBytes = bytesAVX512
	uppers, lowers := archsimd.LoadUint8x64Array(&uppers), archsimd.LoadUint8x64Array(&lowers)
	uppersNext, lasts := archsimd.LoadUint8x64Array(&uppersNext), archsimd.LoadUint8x64Array(&lasts)
	order := archsimd.LoadUint64x8Array(&shifted)
	half, bit7 := archsimd.BroadcastUint8x64(0x0f), archsimd.BroadcastUint8x64(0x80)
	three, four := archsimd.BroadcastUint8x64(takeOfThree), archsimd.BroadcastUint8x64(takeOfFour)
	var zero, before, cut, faults archsimd.Uint8x64
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+blockBytes <= len(b); {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, i)))
		if v.BitsToInt8().Less(zero.BitsToInt8()).ToBits() == 0 {
			faults = faults.Or(cut)
			before, cut = v, v.SubSaturated(lasts) // these are zero
			// More ASCII is likely to follow. Any ASCII vector can serve as the one before.
			for ; i+5*blockBytes <= len(b); i += 4 * blockBytes {
				p := unsafe.Add(base, i+blockBytes)
				some := archsimd.LoadUint8x64Array((*[64]uint8)(p)).
					Or(archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(p, 64)))).
					Or(archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(p, 128)))).
					Or(archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(p, 192))))
				if some.BitsToInt8().Less(zero.BitsToInt8()).ToBits() != 0 {
					break
				}
			}
			i += blockBytes
			continue
		}
		// In a text of several scripts a branch for each block would often be guessed wrongly.
		for behind := min(i+mixedBytes, len(b)-blockBytes+1); i < behind; i += blockBytes {
			v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, i)))
			rows := before.ReshapeToUint64s().ConcatPermute(v.ReshapeToUint64s(), order).ReshapeToUint8s()
			v1 := v.ConcatShiftBytesRightGrouped(rows, 15) // the byte before each
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
	if faults.Equal(zero).ToBits() != 1<<64-1 { // a branch, so that no vector is used after the clearing
		archsimd.ClearAVXUpperBits()
		return false
	}
	archsimd.ClearAVXUpperBits()
	return true
}
