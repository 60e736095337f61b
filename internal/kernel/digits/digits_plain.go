package digits

import (
	"math/bits"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// integersPlain defines what is right.
func integersPlain(words *uint64, fields *records.Span, s *Scale, n int) (points uint8, refused bool) {
	var union, errors uint64
	values := unsafe.Slice(words, n)
	for k, field := range unsafe.Slice(fields, n) {
		digits, length := values[k]^zeroDigits, uint64(field.Len)
		minus := (digits&firstByte ^ minusDigit - 1) >> (wordBits - 1)
		digits = (digits ^ minus*minusDigit) << ((wordBytes - length) * 8 % wordBits)
		point := digits >> pointBit & everyByte
		digits ^= point * pointDigit
		wrong := digits + aboveNine + point*aboveZero | digits
		wrong |= (length - 1 - minus) | (wordBytes - length)
		wrong = wrong&highBits | point&(point-1|s.refused)
		errors |= wrong
		_, isWrong := bits.Sub64(0, wrong, 0)
		union |= point &^ -isWrong

		_, any := bits.Sub64(0, point, 0)
		before := digits & (point - any)
		m := value(digits+before<<8-before) * uint64(s.powers[point*placeCodes>>placeBits])
		values[k] = (m^-minus+minus)&^-isWrong | Refused&-isWrong
	}
	return uint8(union * gatherBits >> gathered), errors != 0
}

// The bit of a point times placeCodes has the index of its byte in the top 3 bits.
const (
	placeCodes = 0x0020406080a0c0e0
	placeBits  = 61
)

// Bits 0, 8, ..., 56 of a word times gatherBits are its top 8 bits.
const (
	gatherBits = 0x0102040810204080
	gathered   = 56
)

// value returns the number with these digits, the first one in the lowest byte: it adds
// neighbouring digits, then neighbouring pairs, then the two halves.
func value(digits uint64) uint64 {
	const pairs = 0x000000ff000000ff
	digits = digits*10 + digits>>8
	return (digits&pairs*(100+1000000<<32) + digits>>16&pairs*(1+10000<<32)) >> 32
}
