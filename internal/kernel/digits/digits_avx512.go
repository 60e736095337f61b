//go:build goexperiment.simd && amd64

package digits

import "simd/archsimd"

// integersAVX512 is integersAVX2 with eight lanes.
func integersAVX512(c *Column, s *Scale, n int) (points uint64, complaint bool) {
	if n < fewNumbers {
		return integersPlain(c, s, n)
	}
	every, nines := archsimd.BroadcastUint64x8(everyByte), archsimd.BroadcastUint64x8(aboveNine)
	high, refused := archsimd.BroadcastUint64x8(highBits), archsimd.BroadcastUint64x8(s.refused)
	zeros, first := archsimd.BroadcastUint64x8(zeroDigits), archsimd.BroadcastUint64x8(firstByte)
	dash := archsimd.BroadcastUint64x8(minusDigit)
	one, eight := archsimd.BroadcastUint64x8(1), archsimd.BroadcastUint64x8(wordBytes)
	tens := archsimd.BroadcastUint16x32(10 | 1<<8).ReshapeToUint8s().BitsToInt8()
	hundreds := archsimd.BroadcastUint32x16(100 | 1<<16).ReshapeToUint16s().BitsToInt16()
	lower, tenThousand := archsimd.BroadcastUint64x8(1<<32-1), archsimd.BroadcastUint64x8(10000)
	powers := archsimd.LoadUint32x8Array(&s.powers).ExtendToUint64()
	var zero, met, complaints archsimd.Uint64x8
	for k := 0; k+8 <= min(n+7, Max); k += 8 {
		digits := archsimd.LoadUint64x8Array((*[8]uint64)(c.Words[k:]))
		length := archsimd.LoadUint64x8Array((*[8]uint64)(c.Lengths[k:]))

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
		complaints = complaints.Or(wrong)
		wrong.StoreArray((*[8]uint64)(c.Lengths[k:]))
		right := wrong.Equal(zero).ToInt64x8().ToBits()
		met = met.Or(point.And(right))

		below = below.AndNot(point.Equal(zero).ToInt64x8().ToBits())
		place := below.And(every).ReshapeToUint8s().SumOf8AbsDiff(zero.ReshapeToUint8s())
		before := digits.And(below)
		digits = digits.Add(before.ShiftAllLeft(8)).Sub(before)
		fours := digits.ReshapeToUint8s().DotProductPairsSaturated(tens).DotProductPairs(hundreds).ToBits().ReshapeToUint64s()
		m := fours.And(lower).Mul(tenThousand).Add(fours.ShiftAllRight(32)).Mul(powers.Permute(place))
		m.Xor(minus).Sub(minus).StoreArray((*[8]uint64)(c.Words[k:]))
	}
	var all, bad [8]uint64
	met.StoreArray(&all)
	complaints.StoreArray(&bad)
	archsimd.ClearAVXUpperBits()
	var wrong uint64
	for i := range all {
		points |= all[i]
		wrong |= bad[i]
	}
	return points, wrong != 0
}
