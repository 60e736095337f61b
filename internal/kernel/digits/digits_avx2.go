//go:build goexperiment.simd && amd64

package digits

import (
	"simd/archsimd"
	"unsafe"
)

// integersAVX2 has one number in each of four lanes. Multiply-adds of neighbours turn digits into
// pairs, and pairs into groups of four; the sum of bytes counts the digits before the point.
func integersAVX2(c *Column, s *Scale, n int) (points uint64, invalid bool) {
	every, nines := archsimd.BroadcastUint64x4(everyByte), archsimd.BroadcastUint64x4(aboveNine)
	high, refused := archsimd.BroadcastUint64x4(highBits), archsimd.BroadcastUint64x4(s.refused)
	zeros, first := archsimd.BroadcastUint64x4(zeroDigits), archsimd.BroadcastUint64x4(firstByte)
	dash := archsimd.BroadcastUint64x4(minusDigit)
	one, eight := archsimd.BroadcastUint64x4(1), archsimd.BroadcastUint64x4(wordBytes)
	tens := archsimd.BroadcastUint16x16(10 | 1<<8).ReshapeToUint8s().BitsToInt8()
	hundreds := archsimd.BroadcastUint32x8(100 | 1<<16).ReshapeToUint16s().BitsToInt16()
	tenThousand := archsimd.BroadcastUint32x8(10000)
	powers := archsimd.LoadUint32x8Array(&s.powers)
	var zero, merged, errors archsimd.Uint64x4
	for k := 0; k < min(n, Max); k += 4 {
		words := (*[4]uint64)(unsafe.Pointer(&c.Words[k]))
		lengths := (*[4]uint64)(unsafe.Pointer(&c.Lengths[k]))
		digits := archsimd.LoadUint64x4Array(words)
		length := archsimd.LoadUint64x4Array(lengths)

		digits = digits.Xor(zeros)
		minus := digits.And(first).Equal(dash).ToInt64x4().ToBits() // all ones, or 0
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
		right := wrong.Equal(zero).ToInt64x4().ToBits()
		merged = merged.Or(point.And(right))

		below = below.AndNot(point.Equal(zero).ToInt64x4().ToBits())
		place := below.And(every).ReshapeToUint8s().SumOf8AbsDiff(zero.ReshapeToUint8s())
		before := digits.And(below)
		digits = digits.Add(before.ShiftAllLeft(8)).Sub(before)
		fours := digits.ReshapeToUint8s().DotProductPairsSaturated(tens).DotProductPairs(hundreds).ToBits()
		m := fours.MulWidenEven(tenThousand).Add(fours.ReshapeToUint64s().ShiftAllRight(32))
		m = m.ReshapeToUint32s().MulWidenEven(powers.Permute(place.ReshapeToUint32s()))
		m.Xor(minus).Sub(minus).StoreArray(words)
	}
	var all, bad [4]uint64
	merged.StoreArray(&all)
	errors.StoreArray(&bad)
	archsimd.ClearAVXUpperBits()
	return all[0] | all[1] | all[2] | all[3], bad[0]|bad[1]|bad[2]|bad[3] != 0
}
