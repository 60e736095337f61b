//go:build goexperiment.simd && arm64

package digits

import (
	"simd/archsimd"
	"unsafe"
)

// integersNEON has one number in each of two lanes. See integersAVX2.
func integersNEON(c *Column, s *Scale, n int) (points uint64, invalid bool) {
	every, nines := archsimd.BroadcastUint64x2(everyByte), archsimd.BroadcastUint64x2(aboveNine)
	high, refused := archsimd.BroadcastUint64x2(highBits), archsimd.BroadcastUint64x2(s.refused)
	zeros, first := archsimd.BroadcastUint64x2(zeroDigits), archsimd.BroadcastUint64x2(firstByte)
	dash := archsimd.BroadcastUint64x2(minusDigit)
	one, eight := archsimd.BroadcastUint64x2(1), archsimd.BroadcastUint64x2(wordBytes)
	pairs, hundred := archsimd.BroadcastUint32x4(0xff), archsimd.BroadcastUint32x4(100)
	tenThousand := archsimd.BroadcastUint32x4(10000)
	var zero, merged, errors, powers archsimd.Uint64x2
	for k := 0; k < min(n, Max); k += 2 {
		words := (*[2]uint64)(unsafe.Pointer(&c.Words[k]))
		lengths := (*[2]uint64)(unsafe.Pointer(&c.Lengths[k]))
		digits := archsimd.LoadUint64x2Array(words)
		length := archsimd.LoadUint64x2Array(lengths)

		digits = digits.Xor(zeros)
		minus := digits.And(first).Equal(dash).ToInt64x2().ToBits() // all ones, or 0
		room := eight.Sub(length)
		digits = digits.Xor(minus.And(dash)).Shift(room.ShiftAllLeft(3).BitsToInt64())

		point := digits.ShiftAllRight(pointBit).And(every)
		digits = digits.Xor(point.ShiftAllLeft(5).Sub(point.Add(point)))
		nine := point.ShiftAllLeft(3).Add(point)
		wrong := digits.Add(nines).Add(nine).Or(digits)
		wrong = wrong.Or(length.Sub(one).Add(minus)).Or(room).And(high)
		below := point.Sub(one)
		wrong = wrong.Or(below.Or(refused).And(point))
		errors = errors.Or(wrong)
		wrong.StoreArray(lengths)
		merged = merged.Or(point.Masked(wrong.Equal(zero)))

		below = below.Masked(point.NotEqual(zero))
		before := digits.And(below)
		digits = digits.Add(before.ShiftAllLeft(8)).Sub(before)
		// Eight digits become four pairs of 16 bits, these two groups of four, of 32 bits, and
		// these the number.
		digits = digits.ShiftAllLeft(3).Add(digits.Add(digits)).Add(digits.ShiftAllRight(8))
		twos := digits.ReshapeToUint32s()
		fours := twos.And(pairs).Mul(hundred).Add(twos.ShiftAllRight(16).And(pairs)).ReshapeToUint64s()
		m := fours.TruncToUint32()
		numbers := fours.ShiftAllRight(32).Add(m.MulWidenLo(tenThousand))

		ones := below.And(every)
		ones = ones.Add(ones.ShiftAllRight(32))
		ones = ones.Add(ones.ShiftAllRight(16))
		place := ones.Add(ones.ShiftAllRight(8))
		powers = powers.SetElem(0, uint64(s.powers[place.GetElem(0)%8]))
		powers = powers.SetElem(1, uint64(s.powers[place.GetElem(1)%8]))
		product := numbers.TruncToUint32().MulWidenLo(powers.TruncToUint32())
		product.Xor(minus).Sub(minus).StoreArray(words)
	}
	points = merged.GetElem(0) | merged.GetElem(1)
	return points, errors.GetElem(0)|errors.GetElem(1) != 0
}
