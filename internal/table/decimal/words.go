package decimal

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/digits"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// Numbers of up to eight characters go to a kernel as words, some hundred at a time; see package digits. If
// longer numbers are frequent, all numbers are parsed here one by one, as two words each, with
// the same technique. Both ways list in n.left the records that they could not parse.
const (
	wordBytes  = 8
	everyByte  = 0x0101010101010101
	zeroDigits = '0' * everyByte
	pointDigit = '.' ^ '0'

	// Adding these sets the highest bit of a byte above 9, and of a point's byte that is not 0.
	aboveNine  = (0x80 - 10) * everyByte
	aboveZero  = 9
	highBits   = 0x80 * everyByte
	pointBit   = 4
	lastByte   = 56
	scaleBits  = 60
	gatherBits = 0x0102040810204080 // times the bit of a point at byte i: bit i, in the top byte
	scaleCodes = 0x8070605040302010 // times the bit of a point: 1 + digits after it, in the top 4 bits
)

// setScale sets the scale, and the powers of ten that bring integers to it. These are indexed by
// the code that scaleCodes computes; 0 means no point.
func (n *Numbers) setScale(scale int) {
	n.Scale = scale
	n.scale = digits.ScaleOf(scale)
	n.multipliers = [16]uint64{tens[scale]}
	for decimals := range scale + 1 {
		n.multipliers[decimals+1] = tens[scale-decimals]
	}
}

// beyond returns a mask, in the bits of everyByte, of the positions where a point would have more
// digits after it than the scale.
func beyond(scale int) uint64 { return everyByte & (1<<(8*(wordBytes-1-scale)) - 1) }

// decimalsOf returns the largest number of digits after any of the points, bit i for one at byte i of a word.
func decimalsOf(points uint8) int {
	if points == 0 {
		return 0
	}
	return wordBytes - 1 - bits.TrailingZeros8(points)
}

func load(base unsafe.Pointer, off uint64) uint64 {
	return binary.LittleEndian.Uint64((*[wordBytes]byte)(unsafe.Add(base, off))[:])
}

// value returns the number whose digits are the bytes, with the first digit in the lowest byte.
// It combines pairs of digits, then pairs of pairs, then the two halves.
func value(digits uint64) uint64 {
	const pairs = 0x000000ff000000ff
	digits = digits*10 + digits>>8
	return (digits&pairs*(100+1000000<<32) + digits>>16&pairs*(1+10000<<32)) >> 32
}

// parseShort parses numbers of one word, and returns how many it could not parse. If the selection is all of the
// first records, the words are put where the mantissas belong, and become these in place.
func (n *Numbers) parseShort(text []byte, column records.Column, sel records.Selection) (left int) {
	if len(sel) == 0 {
		return 0
	}
	base, points := unsafe.Pointer(unsafe.SliceData(text)), uint8(0)
	all := int(sel[len(sel)-1]) == len(sel)-1
	for at := 0; at < len(sel); at += partMax {
		now := sel[at:min(at+partMax, len(sel))]
		words, spans := n.words[:len(now)], n.spans[:len(now)]
		if all {
			words, spans = n.Mantissa[at:][:len(now)], column[at:][:len(now)]
		} else {
			for k, i := range now {
				spans[k] = column[i]
			}
		}
		for k := range spans {
			words[k] = int64(load(base, uint64(spans[k].Off)))
		}
		// The kernel refuses a field that is too long.
		met, refused := n.integers((*uint64)(unsafe.Pointer(&words[0])), &spans[0], &n.scale, len(now))
		points |= met
		if !all {
			for k, i := range now {
				n.Mantissa[i%records.Max] = words[k]
			}
		}
		if refused {
			for k, i := range now {
				n.left[left&(records.Max-1)] = i
				_, differs := bits.Sub64(0, uint64(words[k])^digits.Refused, 0)
				left += 1 - int(differs)
			}
		}
	}
	n.noteDecimals(decimalsOf(points))
	return left
}

// noteDecimals records the number of digits after a point, if they fit the scale.
func (n *Numbers) noteDecimals(decimals int) {
	n.most = max(n.most, decimals)
	n.Decimals = max(n.Decimals, decimals)
}

// window is a table of masks: the sixteen bytes from byte r on keep the last r bytes of sixteen.
var window = [64]byte{
	16: 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	32: 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	48: 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
}

// parseLong parses numbers of up to two words. A point in the first word is an error: it would
// have more digits after it than any scale allows. parseLong returns how many numbers it could
// not parse, and how many are longer than a word.
func (n *Numbers) parseLong(text []byte, column records.Column, sel records.Selection) (left, longs int) {
	base := unsafe.Pointer(unsafe.SliceData(text))
	tooMany := beyond(n.Scale)
	keep := unsafe.Pointer(&window)
	points, many := uint8(0), uint64(0)
	for _, i := range sel {
		off, length := uint64(column[i].Off), uint64(column[i].Len)
		minus := (load(base, off)&0xff ^ '-' - 1) >> 63
		end := off + length
		length -= minus
		many += (wordBytes - length) >> 63
		upper := (load(base, end-2*wordBytes) ^ zeroDigits) & load(keep, length&31)
		lower := (load(base, end-wordBytes) ^ zeroDigits) & load(keep, length&31+wordBytes)

		point := lower >> pointBit & everyByte
		lower ^= point * pointDigit
		wrong := lower + aboveNine + point*aboveZero | lower // a byte that is not a digit
		wrong |= upper + aboveNine | upper
		wrong |= length - 1 - point>>lastByte // no digits at all
		wrong |= 2*wordBytes - length

		_, any := bits.Sub64(0, point, 0)
		before := lower & (point - any)
		lower += before<<8 - before + upper>>lastByte&-any
		upper <<= 8 * any
		over, m := bits.Mul64(value(upper)*1e8+value(lower), n.multipliers[point*scaleCodes>>scaleBits])
		wrong = wrong&highBits | point&(point-1|tooMany) | over | m>>plainBits
		if wrong != 0 {
			n.left[left%records.Max] = i
			left++
			continue
		}
		points |= uint8(point * gatherBits >> lastByte)
		n.Mantissa[i%records.Max] = int64(m ^ -minus + minus)
	}
	n.noteDecimals(decimalsOf(points))
	return left, int(many)
}
