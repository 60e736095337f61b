package pattern

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// indexPlain compares the pattern at every place where the pair matches.
func indexPlain(p *Pattern, b []byte) int {
	places, failures := len(b)-len(p.value)+1, 0
	for i := 0; i < places; i += wordPlaces {
		var fits uint64
		for i, fits = p.nextPlain(b, i, places); fits != 0; fits &= fits - 1 {
			at := i + bits.TrailingZeros64(fits)/8
			if p.matches(b[at:]) {
				return at
			}
			if failures++; p.exhausted(failures, at) {
				return p.rest(b, at+1)
			}
		}
	}
	return -1
}

// wordPlaces is the number of places per word: one byte each, the first in the lowest.
const wordPlaces = 8

// nextPlain returns the next places from i on where the pair matches: at plus the index of each
// byte of fits whose highest bit is set. fits is 0 if there are no more. It jumps to the next byte
// that equals the rarer one of the pair, and tests some words from there. So a byte that turns out
// not to be rare does not cost a jump each time.
func (p *Pattern) nextPlain(b []byte, i, places int) (at int, fits uint64) {
	const wordsBetweenJumps = 2
	first, second := p.first, p.second
	value1, mask1 := everyByte*uint64(first.value), everyByte*uint64(first.mask)
	value2, mask2 := everyByte*uint64(second.value), everyByte*uint64(second.mask)
	for i < places {
		if first.mask == 0xff {
			jump := bytes.IndexByte(b[i+first.off:places+first.off], first.value)
			if jump < 0 {
				break
			}
			i += jump
		}
		for range wordsBetweenJumps {
			if i+wordPlaces > places {
				return i, p.lastPlain(b, i, places)
			}
			differ := binary.LittleEndian.Uint64(b[i+first.off:])&mask1 ^ value1
			differ |= binary.LittleEndian.Uint64(b[i+second.off:])&mask2 ^ value2
			if fits := zeroBytes(differ); fits != 0 {
				return i, fits
			}
			i += wordPlaces
		}
	}
	return places, 0
}

// lastPlain handles the last places, which are too few for a word.
func (p *Pattern) lastPlain(b []byte, i, places int) (fits uint64) {
	first, second := p.first, p.second
	for k := range max(0, places-i) {
		if b[i+k+first.off]&first.mask == first.value && b[i+k+second.off]&second.mask == second.value {
			fits |= 0x80 << (8 * k)
		}
	}
	return fits
}

const everyByte = 0x0101010101010101

// zeroBytes returns the highest bit of each byte that is zero. With its highest bit cleared, no
// byte carries into the next when 0x7f is added, and only a zero stays below 0x80.
func zeroBytes(word uint64) uint64 {
	const low = 0x7f * everyByte
	return ^(word&low + low | word | low)
}
