//go:build goexperiment.simd && arm64

package digits

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// integersNEON has one number in each of two lanes. See integersAVX2.
func integersNEON(words *uint64, fields *records.Span, s *Scale, n int) (points uint8, refused bool) {
	every, nines := archsimd.BroadcastUint64x2(everyByte), archsimd.BroadcastUint64x2(aboveNine)
	high, places := archsimd.BroadcastUint64x2(highBits), archsimd.BroadcastUint64x2(s.refused)
	zeros, first := archsimd.BroadcastUint64x2(zeroDigits), archsimd.BroadcastUint64x2(firstByte)
	dash := archsimd.BroadcastUint64x2(minusDigit)
	one, eight := archsimd.BroadcastUint64x2(1), archsimd.BroadcastUint64x2(wordBytes)
	pairs, hundred := archsimd.BroadcastUint32x4(0xff), archsimd.BroadcastUint32x4(100)
	tenThousand := archsimd.BroadcastUint32x4(10000)
	var zero, merged, errors, powers archsimd.Uint64x2
	at, from := unsafe.Pointer(words), unsafe.Pointer(fields)
	for range n / 2 {
		length := archsimd.LoadUint64x2Array((*[2]uint64)(from)).ShiftAllRight(sizeBits)
		digits := archsimd.LoadUint64x2Array((*[2]uint64)(at)).Xor(zeros)
		minus := digits.And(first).Equal(dash).ToInt64x2().ToBits() // all ones, or 0
		room := eight.Sub(length)
		digits = digits.Xor(minus.And(dash)).Shift(room.ShiftAllLeft(3).BitsToInt64())

		point := digits.ShiftAllRight(pointBit).And(every)
		digits = digits.Xor(point.ShiftAllLeft(5).Sub(point.Add(point)))
		nine := point.ShiftAllLeft(3).Add(point)
		wrong := digits.Add(nines).Add(nine).Or(digits)
		wrong = wrong.Or(length.Sub(one).Add(minus)).Or(room).And(high)
		below := point.Sub(one)
		wrong = wrong.Or(below.Or(places).And(point))
		errors = errors.Or(wrong)
		right := wrong.Equal(zero).ToInt64x2().ToBits()
		merged = merged.Or(point.And(right))

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
		product.Xor(minus).Sub(minus).And(right).Or(high.AndNot(right)).StoreArray((*[2]uint64)(at))
		at, from = unsafe.Add(at, 16), unsafe.Add(from, 16)
	}
	union := merged.GetElem(0) | merged.GetElem(1)
	return uint8(union * gatherBits >> gathered), errors.GetElem(0)|errors.GetElem(1) != 0
}
