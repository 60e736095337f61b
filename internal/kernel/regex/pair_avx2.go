//go:build goexperiment.simd && amd64

package regex

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// scanAVX2 tests 32 places at a time. See pair_plain.go.
func scanAVX2(p *pair, b []byte) int {
	const width = bytesAVX2
	low1, high1 := loadHalf(&p.rows[0]), loadHalf(&p.rows[1])
	low2, high2 := loadHalf(&p.rows[2]), loadHalf(&p.rows[3])
	bit, zero := loadHalf(&halfBits), archsimd.BroadcastUint8x32(0)
	half, keep := archsimd.BroadcastUint8x32(0x0F), archsimd.BroadcastUint8x32(0x8F)
	top := archsimd.BroadcastUint8x32(0x80)
	base := unsafe.Pointer(unsafe.SliceData(b))
	one, two := unsafe.Add(base, p.off1), unsafe.Add(base, p.off2)
	places := len(b) - p.reach
	for i := 0; i < places; i += width {
		i = min(i, places-width) // the last vector may overlap the one before
		x := archsimd.LoadUint8x32Array((*[width]uint8)(unsafe.Add(one, i)))
		row := low1.PermuteOrZeroGrouped(x.And(keep).BitsToInt8()).
			Or(high1.PermuteOrZeroGrouped(x.Xor(top).And(keep).BitsToInt8()))
		hi := x.ReshapeToUint16s().ShiftAllRight(4).ReshapeToUint8s().And(half)
		out := row.And(bit.PermuteOrZeroGrouped(hi.BitsToInt8())).Equal(zero).ToBits()
		if out == 1<<width-1 {
			continue
		}
		x = archsimd.LoadUint8x32Array((*[width]uint8)(unsafe.Add(two, i)))
		row = low2.PermuteOrZeroGrouped(x.And(keep).BitsToInt8()).
			Or(high2.PermuteOrZeroGrouped(x.Xor(top).And(keep).BitsToInt8()))
		hi = x.ReshapeToUint16s().ShiftAllRight(4).ReshapeToUint8s().And(half)
		out |= row.And(bit.PermuteOrZeroGrouped(hi.BitsToInt8())).Equal(zero).ToBits()
		if out != 1<<width-1 {
			archsimd.ClearAVXUpperBits()
			return i + bits.TrailingZeros32(^out)
		}
	}
	archsimd.ClearAVXUpperBits()
	return -1
}

func loadHalf(row *[64]uint8) archsimd.Uint8x32 {
	return archsimd.LoadUint8x32Array((*[32]uint8)(row[:32]))
}
