package inflate

import (
	"encoding/binary"
	"sync"
)

// Finder finds blocks. It is for one goroutine.
type Finder struct {
	header *Decoder
	*finderTables
}

// NewFinder returns a finder.
func NewFinder() *Finder { return &Finder{New(), newFinderTables()} }

// finderTables tell from some bits of a header whether it is worth while to look at the rest.
type finderTables struct {
	skips  [1 << skipBits]uint8
	shares [1 << shareBits]uint16
}

// newFinderTables makes the tables when the first finder needs them, because that takes 0.2 ms.
var newFinderTables = sync.OnceValue(func() *finderTables {
	t := new(finderTables)
	t.makeSkips()
	t.makeShares()
	return t
})

// finderBytes is how much data Next looks at, at once.
const finderBytes = 11

// Next returns the first place in data, from bit i on, where a block may begin: the index of a bit,
// -1 if there is none. It finds blocks with codes of their own, unless one is the last of its stream or its
// header is not complete in data. Of stored ones it returns the place of the length, and stored is true.
//
// Hardly any bits look like such a header by chance: each of the three codes in it must be complete.
// The first one rules out nearly all places, and the sum of its lengths takes few steps.
func (f *Finder) Next(data []byte, i int) (at int, stored bool) {
	for end := 8 * (len(data) - finderBytes); i < end; {
		word := binary.LittleEndian.Uint64(data[i>>3:]) >> (i & 7)
		next := int(f.skips[word&(1<<skipBits-1)])
		// A stored block may lie between: its length begins at a byte.
		for b := (i + 7) / 8; 8*b < i+max(next, 1); b++ {
			if storedAt(data, b) {
				return 8 * b, true
			}
		}
		if next == 0 && f.lengthCodeComplete(data, i, word) && f.complete(data, i) {
			return i, false
		}
		i += max(next, 1)
	}
	return -1, false
}

// complete reports whether a block's header has complete codes, as Decoder reads it, and one for the end
// of the block, without which codes are often complete by chance: none at all is.
func (f *Finder) complete(data []byte, i int) bool {
	d := f.header
	d.Reset()
	d.skip, d.step = uint(i&7), atBit
	d.src, d.at = data[i>>3:], 0
	for d.err == nil && d.step != atSymbols && d.advance() {
	}
	d.src = nil
	return d.err == nil && d.step == atSymbols && d.header.lengths[endSymbol] > 0
}

const skipBits = 13

// makeSkips makes the table that says, for the bits of a header up to the number of distance codes, in how
// many bits the next one may begin: 0 if this may be one.
func (t *finderTables) makeSkips() {
	for bits := range t.skips {
		n := 0
		for ; n < skipBits; n++ {
			left := skipBits - n
			if looks(bits>>n, left) {
				break
			}
		}
		t.skips[bits] = uint8(n)
	}
}

// looks reports whether bits, of which n are known, may be the first of a header: not the last block, codes
// of its own, and neither too many literals nor distances.
func looks(head, n int) bool {
	const dynamic = 2 << 1
	known := min(n, 3)
	return head&(1<<known-1) == dynamic&(1<<known-1) &&
		(n < 8 || head>>3&31 <= literalMax-257) && (n < 13 || head>>8&31 <= distanceMax-1)
}

// storedAt reports whether a stored block that is not the last one may have its length at a byte: a
// number and its inverse, behind three zero bits and zeros up to the byte.
func storedAt(data []byte, b int) bool {
	if b < 1 || b+4 > len(data) || data[b-1]>>5 != 0 {
		return false
	}
	return binary.LittleEndian.Uint16(data[b:]) == ^binary.LittleEndian.Uint16(data[b+2:])
}

// lengthCodeComplete reports whether the code of the lengths of codes is complete. The header begins at bit
// i, with word.
func (t *finderTables) lengthCodeComplete(data []byte, i int, word uint64) bool {
	n := 3 * (int(word>>13&15) + 4)
	at := i + 17
	lengths := binary.LittleEndian.Uint64(data[at>>3:]) >> (at & 7) // 57 bits, which are 19 lengths
	lengths &= 1<<n - 1
	sum := 0
	for ; lengths > 0; lengths >>= shareBits {
		sum += int(t.shares[lengths&(1<<shareBits-1)])
	}
	return sum == 1<<7
}

const shareBits = 12

// makeShares makes the table of which part of all codes of 7 bits four lengths of three bits take.
func (t *finderTables) makeShares() {
	for lengths := range t.shares {
		for rest := lengths; rest > 0; rest >>= 3 {
			if n := rest & 7; n > 0 {
				t.shares[lengths] += 1 << 7 >> n
			}
		}
	}
}
