package decimal

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/records"
)

// A number of up to eight characters behind its sign is parsed in one word of 64 bits, a
// character a byte, without a branch on what it looks like. The word is shifted so that
// the last character is in the highest byte and, the characters turned into digits by an
// exclusive or, all bytes before the number are zeros, which are digits that do no harm.
//
// Only the point has bit 4 set then. From that bit come its place, a mask of the digits
// before it, which move up by a byte to close the gap, and the power of ten that brings the
// integer to the common scale. Whatever is not such a number leaves a bit in one word of
// complaints, and is parsed anew by the slow way.
const (
	wordBytes = 8

	everyByte  = 0x0101010101010101
	zeroDigits = '0' * everyByte
	pointDigit = '.' ^ '0'

	// A byte above 9 and a point's byte that is not 0, with these added, have their highest bit.
	aboveNine  = (0x80 - 10) * everyByte
	aboveZero  = 9
	highBits   = 0x80 * everyByte
	pointBit   = 4
	lastByte   = 56
	scaleBits  = 60
	scaleCodes = 0x8070605040302010 // times the bit of a point: digits behind it, and 1, in the top 4 bits
)

// setScale sets the scale, and the powers of ten that bring integers to it by the code that
// scaleCodes gives: 0 is no point.
func (n *Numbers) setScale(scale int) {
	n.Scale = scale
	n.multipliers = [16]uint64{tens[scale]}
	for decimals := range scale + 1 {
		n.multipliers[decimals+1] = tens[scale-decimals]
	}
}

// beyond returns where a point has more digits behind it than the scale, in bits of
// everyByte.
func beyond(scale int) uint64 { return everyByte & (1<<(8*(wordBytes-1-scale)) - 1) }

// decimalsOf returns the most digits behind any of the points.
func decimalsOf(points uint64) int {
	if points == 0 {
		return 0
	}
	return wordBytes - 1 - bits.TrailingZeros64(points)/8
}

func load(base unsafe.Pointer, off uint64) uint64 {
	return binary.LittleEndian.Uint64((*[wordBytes]byte)(unsafe.Add(base, off))[:])
}

// value returns the number whose digits the bytes are, the first in the lowest byte: it
// adds up neighbours, then neighbours' sums, then these.
func value(digits uint64) uint64 {
	const pairs = 0x000000ff000000ff
	digits = digits*10 + digits>>8
	return (digits&pairs*(100+1000000<<32) + digits>>16&pairs*(1+10000<<32)) >> 32
}

// parseShort parses numbers of a word, behind their sign, and lists the other fields in
// n.left, of which it returns how many there are. It calls nothing, so that all it works with
// stays in registers.
func (n *Numbers) parseShort(text []byte, column records.Column, sel records.Selection) (left int) {
	base := unsafe.Pointer(unsafe.SliceData(text))
	tooMany := beyond(n.Scale)
	var points uint64
	for _, i := range sel {
		off, length := uint64(column[i].Off), uint64(column[i].Len)
		minus := (load(base, off)&0xff ^ '-' - 1) >> 63
		length -= minus
		digits := (load(base, off+minus) ^ zeroDigits) << (-(length * 8) & 63)

		point := digits >> pointBit & everyByte
		digits ^= point * pointDigit
		wrong := digits + aboveNine + point*aboveZero | digits // no digit
		wrong |= length - 1 - point>>lastByte                  // none at all
		wrong |= wordBytes - length
		wrong = wrong&highBits | point&(point-1|tooMany)
		_, isWrong := bits.Sub64(0, wrong, 0)
		n.left[left%records.Max] = i
		left += int(isWrong)
		points |= point &^ -isWrong

		_, any := bits.Sub64(0, point, 0)
		before := digits & (point - any)
		m := value(digits+before<<8-before) * n.multipliers[point*scaleCodes>>scaleBits]
		n.Mantissa[i%records.Max] = int64(m ^ -minus + minus)
	}
	n.met(decimalsOf(points))
	return left
}

// met notes digits behind a point that fit the scale.
func (n *Numbers) met(decimals int) {
	n.most = max(n.most, decimals)
	n.Decimals = max(n.Decimals, decimals)
}

// window: sixteen bytes from its byte r keep the last r of sixteen.
var window = [64]byte{
	16: 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	32: 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	48: 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
}

// parseLong is parseShort for up to two words behind the sign, of which the first holds no
// point: more digits would be behind it than any scale has.
func (n *Numbers) parseLong(text []byte, column records.Column, sel records.Selection) (left int) {
	base := unsafe.Pointer(unsafe.SliceData(text))
	tooMany := beyond(n.Scale)
	keep := unsafe.Pointer(&window)
	var points uint64
	for _, i := range sel {
		off, length := uint64(column[i].Off), uint64(column[i].Len)
		minus := (load(base, off)&0xff ^ '-' - 1) >> 63
		end := off + length
		length -= minus
		upper := (load(base, end-2*wordBytes) ^ zeroDigits) & load(keep, length&31)
		lower := (load(base, end-wordBytes) ^ zeroDigits) & load(keep, length&31+wordBytes)

		point := lower >> pointBit & everyByte
		lower ^= point * pointDigit
		wrong := lower + aboveNine + point*aboveZero | lower
		wrong |= upper + aboveNine | upper
		wrong |= length - 1 - point>>lastByte
		wrong |= 2*wordBytes - length

		_, any := bits.Sub64(0, point, 0)
		before := lower & (point - any)
		lower += before<<8 - before + upper>>lastByte&-any
		upper <<= 8 * any
		over, m := bits.Mul64(value(upper)*1e8+value(lower), n.multipliers[point*scaleCodes>>scaleBits])
		wrong = wrong&highBits | point&(point-1|tooMany) | over | m>>plainBits
		_, isWrong := bits.Sub64(0, wrong, 0)
		n.left[left%records.Max] = i
		left += int(isWrong)
		points |= point &^ -isWrong
		n.Mantissa[i%records.Max] = int64(m ^ -minus + minus)
	}
	n.met(decimalsOf(points))
	return left
}
