//go:build goexperiment.simd && amd64

package digits

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// integersAVX512 has one number in each of eight lanes. Multiply-adds of neighbours turn digits into pairs,
// pairs into groups of four, and these into the number; the sum of bytes counts the digits before the point.
//
// What is gathered from all numbers stays out of vectors: the constants leave no register free in the loop.
func integersAVX512(words *uint64, fields *records.Span, s *Scale, n int) (points uint8, refused bool) {
	every, nines := archsimd.BroadcastUint64x8(everyByte), archsimd.BroadcastUint64x8(aboveNine)
	high, places := archsimd.BroadcastUint64x8(highBits), archsimd.BroadcastUint64x8(s.refused)
	zeros, first := archsimd.BroadcastUint64x8(zeroDigits), archsimd.BroadcastUint64x8(firstByte)
	dash, dot := archsimd.BroadcastUint64x8(minusDigit), archsimd.BroadcastUint8x64(pointDigit)
	one, eight := archsimd.BroadcastUint64x8(1), archsimd.BroadcastUint64x8(wordBytes)
	tens := archsimd.BroadcastUint16x32(10 | 1<<8).ReshapeToUint8s().BitsToInt8()
	hundreds := archsimd.BroadcastUint32x16(100 | 1<<16).ReshapeToUint16s().BitsToInt16()
	tenThousand := archsimd.BroadcastUint64x8(10000 | 1<<16).ReshapeToUint16s().BitsToInt16()
	powers := archsimd.LoadUint32x8Array(&s.powers).ExtendToUint64()
	var zero archsimd.Uint64x8
	var dots, errors uint64
	at, from := unsafe.Pointer(words), unsafe.Pointer(fields)
	for range n / 8 {
		length := archsimd.LoadUint64x8Array((*[8]uint64)(from)).ShiftAllRight(sizeBits)
		digits := archsimd.LoadUint64x8Array((*[8]uint64)(at)).Xor(zeros)
		negative := digits.And(first).Equal(dash)
		minus := negative.ToInt64x8().ToBits() // all ones, or 0
		room := eight.Sub(length)
		digits = digits.Xor(dash.Masked(negative)).ShiftLeft(room.ShiftAllLeft(3))

		isPoint := digits.ReshapeToUint8s().Equal(dot)
		byPoint := isPoint.ToInt8x64().ToBits().ReshapeToUint64s()
		point := byPoint.And(every)
		digits = digits.AndNot(byPoint)
		wrong := digits.Add(nines).Or(digits).Or(length.Sub(one).Add(minus)).Or(room).And(high)
		below := point.Sub(one)
		wrong = wrong.Or(below.Or(places).And(point))
		bad := wrong.NotEqual(zero)
		found, strange := isPoint.ToBits(), uint64(bad.ToBits())
		if strange != 0 { // each bit becomes a byte of ones, for the points that do not count
			lanes := (strange*everyByte&laneBits + laneCarry) >> 7 & everyByte
			found &^= lanes<<8 - lanes
		}
		dots |= found
		errors |= strange

		below = below.Masked(point.NotEqual(zero))
		place := below.And(every).ReshapeToUint8s().SumOf8AbsDiff(zero.ReshapeToUint8s())
		before := digits.And(below)
		digits = digits.Add(before.ShiftAllLeft(8)).Sub(before)
		fours := digits.ReshapeToUint8s().DotProductPairsSaturated(tens).DotProductPairs(hundreds).ToBits().ReshapeToUint64s()
		m := fours.Or(fours.ShiftAllRight(16)).ReshapeToUint16s().BitsToInt16().DotProductPairs(tenThousand).ToBits()
		value := m.ReshapeToUint64s().Mul(powers.Permute(place)).Xor(minus).Sub(minus)
		high.IfElse(bad, value).StoreArray((*[8]uint64)(at))
		at, from = unsafe.Add(at, 64), unsafe.Add(from, 64)
	}
	archsimd.ClearAVXUpperBits()
	dots |= dots >> 32
	dots |= dots >> 16
	return uint8(dots | dots>>8), errors != 0
}
