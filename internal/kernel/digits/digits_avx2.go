//go:build goexperiment.simd && amd64

package digits

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// integersAVX2 is integersAVX512 with four lanes.
func integersAVX2(words *uint64, fields *records.Span, s *Scale, n int) (points uint8, refused bool) {
	every, nines := archsimd.BroadcastUint64x4(everyByte), archsimd.BroadcastUint64x4(aboveNine)
	high, places := archsimd.BroadcastUint64x4(highBits), archsimd.BroadcastUint64x4(s.refused)
	zeros, first := archsimd.BroadcastUint64x4(zeroDigits), archsimd.BroadcastUint64x4(firstByte)
	dash, dot := archsimd.BroadcastUint64x4(minusDigit), archsimd.BroadcastUint8x32(pointDigit)
	one, eight := archsimd.BroadcastUint64x4(1), archsimd.BroadcastUint64x4(wordBytes)
	tens := archsimd.BroadcastUint16x16(10 | 1<<8).ReshapeToUint8s().BitsToInt8()
	hundreds := archsimd.BroadcastUint32x8(100 | 1<<16).ReshapeToUint16s().BitsToInt16()
	tenThousand := archsimd.BroadcastUint64x4(10000 | 1<<16).ReshapeToUint16s().BitsToInt16()
	powers := archsimd.LoadUint32x8Array(&s.powers)
	var zero archsimd.Uint64x4
	var dots, errors uint32
	at, from := unsafe.Pointer(words), unsafe.Pointer(fields)
	for range n / 4 {
		length := archsimd.LoadUint64x4Array((*[4]uint64)(from)).ShiftAllRight(sizeBits)
		digits := archsimd.LoadUint64x4Array((*[4]uint64)(at)).Xor(zeros)
		minus := digits.And(first).Equal(dash).ToInt64x4().ToBits() // all ones, or 0
		room := eight.Sub(length)
		digits = digits.Xor(minus.And(dash)).ShiftLeft(room.ShiftAllLeft(3))

		byPoint := digits.ReshapeToUint8s().Equal(dot).ToInt8x32().ToBits().ReshapeToUint64s()
		point := byPoint.And(every)
		digits = digits.AndNot(byPoint)
		wrong := digits.Add(nines).Or(digits).Or(length.Sub(one).Add(minus)).Or(room).And(high)
		below := point.Sub(one)
		wrong = wrong.Or(below.Or(places).And(point))
		isRight := wrong.Equal(zero)
		right := isRight.ToInt64x4().ToBits()
		dots |= byPoint.And(right).ReshapeToUint8s().Greater(zero.ReshapeToUint8s()).ToBits()
		errors |= uint32(isRight.ToBits()) ^ 0xf

		below = below.AndNot(point.Equal(zero).ToInt64x4().ToBits())
		place := below.And(every).ReshapeToUint8s().SumOf8AbsDiff(zero.ReshapeToUint8s())
		before := digits.And(below)
		digits = digits.Add(before.ShiftAllLeft(8)).Sub(before)
		fours := digits.ReshapeToUint8s().DotProductPairsSaturated(tens).DotProductPairs(hundreds).ToBits().ReshapeToUint64s()
		m := fours.Or(fours.ShiftAllRight(16)).ReshapeToUint16s().BitsToInt16().DotProductPairs(tenThousand).ToBits()
		value := m.MulWidenEven(powers.Permute(place.ReshapeToUint32s())).Xor(minus).Sub(minus)
		value.And(right).Or(high.AndNot(right)).StoreArray((*[4]uint64)(at))
		at, from = unsafe.Add(at, 32), unsafe.Add(from, 32)
	}
	archsimd.ClearAVXUpperBits()
	dots |= dots >> 16
	return uint8(dots | dots>>8), errors != 0
}
