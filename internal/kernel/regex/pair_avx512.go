//go:build goexperiment.simd && amd64

package regex

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// scanAVX512 tests 64 places at a time. See pair_plain.go.
func scanAVX512(p *pair, b []byte) int {
	const width = bytesAVX512
	low1, high1 := archsimd.LoadUint8x64Array(&p.rows[0]), archsimd.LoadUint8x64Array(&p.rows[1])
	low2, high2 := archsimd.LoadUint8x64Array(&p.rows[2]), archsimd.LoadUint8x64Array(&p.rows[3])
	bit, zero := archsimd.LoadUint8x64Array(&halfBits), archsimd.BroadcastUint8x64(0)
	half, keep := archsimd.BroadcastUint8x64(0x0F), archsimd.BroadcastUint8x64(0x8F)
	top := archsimd.BroadcastUint8x64(0x80)
	base := unsafe.Pointer(unsafe.SliceData(b))
	one, two := unsafe.Add(base, p.off1), unsafe.Add(base, p.off2)
	places := len(b) - p.reach
	for i := 0; i < places; i += width {
		i = min(i, places-width) // the last vector may overlap the one before
		x := archsimd.LoadUint8x64Array((*[width]uint8)(unsafe.Add(one, i)))
		row := low1.PermuteOrZeroGrouped(x.And(keep).BitsToInt8()).
			Or(high1.PermuteOrZeroGrouped(x.Xor(top).And(keep).BitsToInt8()))
		hi := x.ReshapeToUint16s().ShiftAllRight(4).ReshapeToUint8s().And(half)
		in := row.And(bit.PermuteOrZeroGrouped(hi.BitsToInt8())).NotEqual(zero).ToBits()
		if in == 0 {
			continue
		}
		x = archsimd.LoadUint8x64Array((*[width]uint8)(unsafe.Add(two, i)))
		row = low2.PermuteOrZeroGrouped(x.And(keep).BitsToInt8()).
			Or(high2.PermuteOrZeroGrouped(x.Xor(top).And(keep).BitsToInt8()))
		hi = x.ReshapeToUint16s().ShiftAllRight(4).ReshapeToUint8s().And(half)
		in &= row.And(bit.PermuteOrZeroGrouped(hi.BitsToInt8())).NotEqual(zero).ToBits()
		if in != 0 {
			archsimd.ClearAVXUpperBits()
			return i + bits.TrailingZeros64(in)
		}
	}
	archsimd.ClearAVXUpperBits()
	return -1
}
