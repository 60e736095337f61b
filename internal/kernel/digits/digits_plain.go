package digits

import "math/bits"

// integersPlain defines what is right.
func integersPlain(c *Column, s *Scale, n int) (points uint64, invalid bool) {
	var errors uint64
	for k := range min(n, Max) {
		digits, length := c.Words[k]^zeroDigits, c.Lengths[k]
		minus := (digits&firstByte ^ minusDigit - 1) >> (wordBits - 1)
		digits = (digits ^ minus*minusDigit) << ((wordBytes - length) * 8 % wordBits)
		point := digits >> pointBit & everyByte
		digits ^= point * pointDigit
		wrong := digits + aboveNine + point*aboveZero | digits
		wrong |= (length - 1 - minus) | (wordBytes - length)
		wrong = wrong&highBits | point&(point-1|s.refused)
		errors |= wrong
		c.Lengths[k] = wrong
		_, isWrong := bits.Sub64(0, wrong, 0)
		points |= point &^ -isWrong

		_, any := bits.Sub64(0, point, 0)
		before := digits & (point - any)
		m := value(digits+before<<8-before) * uint64(s.powers[point*placeCodes>>placeBits])
		c.Words[k] = m ^ -minus + minus
	}
	return points, errors != 0
}

// The bit of a point times placeCodes has the index of its byte in the top 3 bits.
const (
	placeCodes = 0x0020406080a0c0e0
	placeBits  = 61
)

// value returns the number with these digits, the first one in the lowest byte: it adds
// neighbouring digits, then neighbouring pairs, then the two halves.
func value(digits uint64) uint64 {
	const pairs = 0x000000ff000000ff
	digits = digits*10 + digits>>8
	return (digits&pairs*(100+1000000<<32) + digits>>16&pairs*(1+10000<<32)) >> 32
}
