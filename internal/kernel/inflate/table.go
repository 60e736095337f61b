package inflate

import "math/bits"

// An entry says what the next bits of the input mean. A table is indexed by as many bits as its root
// has, so an entry stands at every index that begins with its code.
//
//	bits 0..7    bits to consume: the code, and the extra bits behind it
//	bits 8..11   bits of the code; of the first code, if there are two
//	bits 12..13  number of literals, 1 or 2; 0 for all other entries
//	bit 14       neither literals nor a length or distance
//	bit 15       a subtable; bit 14 is set, too
//	bits 16..31  the literals, the first one in the low byte; or the least length or distance
//
// A code that is longer than the root has its entry in a subtable, which is indexed by the bits
// behind the root. The entry at the root has the subtable's place in its bits 16..31, and in its bits
// 8..11 the number of bits that index it.
type entry uint32

const (
	oneLiteral = entry(1) << 12
	literals   = entry(3) << 12
	special    = entry(1) << 14
	subtable   = special | 1<<15

	endOfBlock = special
	noSymbol   = special | 1<<16 // a code whose symbol must not occur
	noCode     = special         // with a code of no bits, while that of endOfBlock has at least one

	codeBit = entry(1)<<8 | 1 // one bit more in the code
)

// consumes returns how many bits the whole entry takes.
func (e entry) consumes() uint { return uint(e & 0xff) }

// code returns how many bits the code has, without extra bits; the first code, if there are two.
func (e entry) code() uint { return uint(e >> 8 & 15) }

// value returns the literals, or the least length or distance.
func (e entry) value() int { return int(e >> 16) }

const (
	literalRoot  = 11
	distanceRoot = 9
	lengthRoot   = 7 // of the code for the lengths of codes; these codes have at most 7 bits

	codeBitsMax = 15
	lengthCodes = 19
	literalMax  = 286 // symbols that may occur
	distanceMax = 30
)

// The tables' sizes. A subtable of 2^n entries holds at least n+1 codes, since its codes are complete
// and one of them has n bits behind the root. So no set of codes fills more than if its subtables
// were as large as possible: 57 of 5 codes and 16 entries for literals and lengths; 4 of 7 codes and
// 64 entries, and one of 2 codes, for distances.
const (
	literalEntries  = 1<<literalRoot + 58*16
	distanceEntries = 1<<distanceRoot + 5*64
)

// build fills a table for codes of the given lengths: canonical ones (RFC 1951, section 3.2.2), which
// are ordered by length and then by symbol. symbols has an entry for each symbol, with no code yet.
// It returns false if the codes are over-subscribed or incomplete. As in zlib, no code at all is
// allowed, and so is a single one of one bit.
func build(table []entry, root int, lengths []uint8, symbols []entry) bool {
	var count, next [codeBitsMax + 1]int
	for _, n := range lengths {
		count[n&codeBitsMax]++
	}
	codes := len(lengths) - count[0]
	count[0] = 0
	left, at := 1, 0
	for n := 1; n <= codeBitsMax; n++ {
		if left = left<<1 - count[n]; left < 0 {
			return false
		}
		next[n] = at
		at += count[n]
	}
	switch {
	case left > 0 && codes == count[1]: // at most one
		buildIncomplete(table[:1<<root], lengths, symbols)
		return true
	case left > 0:
		return false
	}
	var sorted [fixedLiterals]uint16
	for symbol, n := range lengths {
		if n > 0 {
			sorted[next[n&codeBitsMax]] = uint16(symbol)
			next[n&codeBitsMax]++
		}
	}
	fill(table, root, &count, sorted[:codes], symbols)
	return true
}

// buildIncomplete fills a table for one code, which is a zero bit, or for none.
func buildIncomplete(table []entry, lengths []uint8, symbols []entry) {
	for i := range table {
		table[i] = noCode
	}
	for symbol, n := range lengths {
		if n > 0 {
			for i := 0; i < len(table); i += 2 {
				table[i] = symbols[symbol] + codeBit
			}
		}
	}
}

// fill fills a table for complete codes. The input has the highest bit of a code first, so the index
// is the code with its bits reversed. The table for codes of up to n bits is the one for n-1 bits
// twice, in which the codes of n bits then take their places.
func fill(table []entry, root int, count *[codeBitsMax + 1]int, sorted []uint16, symbols []entry) {
	code := uint(0)
	for n := 1; n <= root; n++ {
		copy(table[1<<(n-1):1<<n], table[:1<<(n-1)])
		for _, symbol := range sorted[:count[n]] {
			table[code] = symbols[symbol] + entry(n)*codeBit
			code = following(code, n)
		}
		sorted = sorted[count[n]:]
	}
	var sub []entry
	prefix, end, n := ^uint(0), 1<<root, root+1
	for _, symbol := range sorted {
		for count[n] == 0 {
			n++
		}
		if p := code & (1<<root - 1); p != prefix {
			index := subtableBits(n-root, count[n:])
			sub = table[end : end+1<<index]
			table[p] = subtable | entry(end)<<16 | entry(index)<<8
			prefix, end = p, end+1<<index
		}
		for i := code >> root; i < uint(len(sub)); i += 1 << (n - root) {
			sub[i] = symbols[symbol] + entry(n)*codeBit
		}
		count[n]--
		code = following(code, n)
	}
}

// following returns the code after a code of n bits, both with their bits reversed: the highest zero
// becomes one, and what is above it zero. After the last code it returns 0.
func following(code uint, n int) uint {
	zeros := code ^ (1<<n - 1)
	if zeros == 0 {
		return 0
	}
	bit := uint(1) << (bits.Len(zeros) - 1)
	return code&(bit-1) | bit
}

// subtableBits returns how many bits index a subtable: as many as its longest code has behind the
// root. Its first code has n there, and left are the codes of that length and of longer ones that
// have no place yet: as many of them as fill the subtable are its own.
func subtableBits(n int, left []int) int {
	taken := left[0]
	for taken < 1<<n {
		n++
		left = left[1:]
		taken = taken<<1 + left[0]
	}
	return n
}

// pair makes one entry of two literals wherever the root has the bits of both codes. Only those codes
// matter that fit beside the shortest one. They are taken by length, so a code that does not fit ends
// the list for the one before it.
func pair(table *[literalEntries]entry) {
	var memory [256]uint16
	short := memory[:0] // codes, which are also the indexes of their entries
	longest := literalRoot / 2
	for n := 1; n <= longest; n++ {
		for code, e := range table[:1<<n] {
			if e&literals == 0 || int(e.code()) != n {
				continue
			}
			if len(short) == 0 {
				longest = literalRoot - n
			}
			short = append(short, uint16(code))
		}
	}
	for _, code := range short {
		first := table[code].single()
		for _, next := range short {
			second := table[next].single()
			bits := first.code() + second.code()
			if bits > literalRoot {
				break
			}
			both := first + oneLiteral + entry(second.code()) + entry(second.value())<<24
			for i := uint(code) | uint(next)<<first.code(); i < 1<<literalRoot; i += 1 << bits {
				table[i] = both
			}
		}
	}
}

// single returns the first literal of an entry as an entry of its own.
func (e entry) single() entry {
	return oneLiteral | e&(255<<16) | entry(e.code())*codeBit
}

// vectorBytes is the size of the vectors in which assembly copies a match.
const vectorBytes = 16

// near repeats the bytes of matches that are less than a vector away from their source.
type near struct {
	index  [vectorBytes][vectorBytes]uint8 // by distance: which bytes of the source make a vector
	stride [vectorBytes]uint8              // how far the next vector lies: at a multiple of the distance
}

var nearTable = makeNear()

func makeNear() (t near) {
	for distance := 1; distance < vectorBytes; distance++ {
		for i := range vectorBytes {
			t.index[distance][i] = uint8(i % distance)
		}
		t.stride[distance] = uint8(vectorBytes - vectorBytes%distance)
	}
	return t
}
