//go:build goexperiment.simd && amd64

package regex

import (
	"math/bits"
	"simd/archsimd"

	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

// A byte is in a set if the row of its low half has the bit of its high half. Two rows of
// eight bits, for high halves below and from 8, make sixteen; a shuffle looks up rows and
// bits for a whole vector. An index with the highest bit set looks up 0, which chooses
// between the rows. Both sets are looked up at their offsets and the masks combined.

var pairVariants = []kernel.Variant[pairFunc]{
	{ISA: cpu.AVX512, Func: pairAVX512},
	{ISA: cpu.AVX2, Func: pairAVX2},
	{ISA: cpu.Plain, Func: pairPlain},
}

func pairAVX512(p *pair, b []byte) int {
	const width = 64
	if len(b) < p.reach+width {
		return pairAVX2(p, b)
	}
	low1, high1 := archsimd.LoadUint8x64Array(&p.rows[0]), archsimd.LoadUint8x64Array(&p.rows[1])
	low2, high2 := archsimd.LoadUint8x64Array(&p.rows[2]), archsimd.LoadUint8x64Array(&p.rows[3])
	bit, zero := archsimd.LoadUint8x64Array(&halfBits), archsimd.BroadcastUint8x64(0)
	half, keep := archsimd.BroadcastUint8x64(0x0F), archsimd.BroadcastUint8x64(0x8F)
	top := archsimd.BroadcastUint8x64(0x80)
	i := 0
	for ; i+p.reach+width <= len(b); i += width {
		x := archsimd.LoadUint8x64Array((*[width]uint8)(b[i+p.off1:]))
		row := low1.PermuteOrZeroGrouped(x.And(keep).BitsToInt8()).
			Or(high1.PermuteOrZeroGrouped(x.Xor(top).And(keep).BitsToInt8()))
		hi := x.ReshapeToUint16s().ShiftAllRight(4).ReshapeToUint8s().And(half)
		in := row.And(bit.PermuteOrZeroGrouped(hi.BitsToInt8())).NotEqual(zero).ToBits()
		if in == 0 {
			continue
		}
		x = archsimd.LoadUint8x64Array((*[width]uint8)(b[i+p.off2:]))
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
	return p.rest(b, i)
}

func pairAVX2(p *pair, b []byte) int {
	const width = 32
	low1, high1 := loadHalf(&p.rows[0]), loadHalf(&p.rows[1])
	low2, high2 := loadHalf(&p.rows[2]), loadHalf(&p.rows[3])
	bit, zero := loadHalf(&halfBits), archsimd.BroadcastUint8x32(0)
	half, keep := archsimd.BroadcastUint8x32(0x0F), archsimd.BroadcastUint8x32(0x8F)
	top := archsimd.BroadcastUint8x32(0x80)
	i := 0
	for ; i+p.reach+width <= len(b); i += width {
		x := archsimd.LoadUint8x32Array((*[width]uint8)(b[i+p.off1:]))
		row := low1.PermuteOrZeroGrouped(x.And(keep).BitsToInt8()).
			Or(high1.PermuteOrZeroGrouped(x.Xor(top).And(keep).BitsToInt8()))
		hi := x.ReshapeToUint16s().ShiftAllRight(4).ReshapeToUint8s().And(half)
		out := row.And(bit.PermuteOrZeroGrouped(hi.BitsToInt8())).Equal(zero).ToBits()
		if out == 1<<width-1 {
			continue
		}
		x = archsimd.LoadUint8x32Array((*[width]uint8)(b[i+p.off2:]))
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
	return p.rest(b, i)
}

func loadHalf(row *[64]uint8) archsimd.Uint8x32 {
	return archsimd.LoadUint8x32Array((*[32]uint8)(row[:32]))
}
