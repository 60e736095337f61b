//go:build goexperiment.simd && amd64

package digits

import (
	"simd/archsimd"
	"unsafe"
)

// integersAVX512 is integersAVX2 with eight lanes.
func integersAVX512(c *Column, s *Scale, n int) (points uint64, invalid bool) {
	every, nines := archsimd.BroadcastUint64x8(everyByte), archsimd.BroadcastUint64x8(aboveNine)
	high, refused := archsimd.BroadcastUint64x8(highBits), archsimd.BroadcastUint64x8(s.refused)
	zeros, first := archsimd.BroadcastUint64x8(zeroDigits), archsimd.BroadcastUint64x8(firstByte)
	dash := archsimd.BroadcastUint64x8(minusDigit)
	one, eight := archsimd.BroadcastUint64x8(1), archsimd.BroadcastUint64x8(wordBytes)
	tens := archsimd.BroadcastUint16x32(10 | 1<<8).ReshapeToUint8s().BitsToInt8()
	hundreds := archsimd.BroadcastUint32x16(100 | 1<<16).ReshapeToUint16s().BitsToInt16()
	lower, tenThousand := archsimd.BroadcastUint64x8(1<<32-1), archsimd.BroadcastUint64x8(10000)
	powers := archsimd.LoadUint32x8Array(&s.powers).ExtendToUint64()
	var zero, merged, errors archsimd.Uint64x8
	for k := 0; k < min(n, Max); k += 8 {
		words := (*[8]uint64)(unsafe.Pointer(&c.Words[k]))
		lengths := (*[8]uint64)(unsafe.Pointer(&c.Lengths[k]))
		digits := archsimd.LoadUint64x8Array(words)
		length := archsimd.LoadUint64x8Array(lengths)

		digits = digits.Xor(zeros)
		minus := digits.And(first).Equal(dash).ToInt64x8().ToBits() // all ones, or 0
		room := eight.Sub(length)
		digits = digits.Xor(minus.And(dash)).ShiftLeft(room.ShiftAllLeft(3))

		point := digits.ShiftAllRight(pointBit).And(every)
		twice := point.Add(point)
		digits = digits.Xor(point.ShiftAllLeft(5).Sub(twice))
		nine := point.ShiftAllLeft(3).Add(point)
		wrong := digits.Add(nines).Add(nine).Or(digits)
		wrong = wrong.Or(length.Sub(one).Add(minus)).Or(room).And(high)
		below := point.Sub(one)
		wrong = wrong.Or(below.Or(refused).And(point))
		errors = errors.Or(wrong)
		wrong.StoreArray(lengths)
		right := wrong.Equal(zero).ToInt64x8().ToBits()
		merged = merged.Or(point.And(right))

		below = below.AndNot(point.Equal(zero).ToInt64x8().ToBits())
		place := below.And(every).ReshapeToUint8s().SumOf8AbsDiff(zero.ReshapeToUint8s())
		before := digits.And(below)
		digits = digits.Add(before.ShiftAllLeft(8)).Sub(before)
		fours := digits.ReshapeToUint8s().DotProductPairsSaturated(tens).DotProductPairs(hundreds).ToBits().ReshapeToUint64s()
		m := fours.And(lower).Mul(tenThousand).Add(fours.ShiftAllRight(32)).Mul(powers.Permute(place))
		m.Xor(minus).Sub(minus).StoreArray(words)
	}
	var all, bad [8]uint64
	merged.StoreArray(&all)
	errors.StoreArray(&bad)
	archsimd.ClearAVXUpperBits()
	var wrong uint64
	for i := range all {
		points |= all[i]
		wrong |= bad[i]
	}
	return points, wrong != 0
}
