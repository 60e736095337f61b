package jsonscan

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// stringsPlain looks up the kind of each byte like markPlain.
func stringsPlain(b []byte, ends []End, carry uint64) (uint64, Found) {
	var wide, allEscaped, faults, returned uint64
	for i := range len(b) / BlockBytes {
		var m Block
		bytes := (*[BlockBytes]byte)(b[i*BlockBytes:])
		slashes, controls, high := m.lookUp(bytes)
		ends[i].Escaped, carry = kernel.Escapes(slashes, carry)
		ends[i].Quotes = m.Quotes &^ ends[i].Escaped
		ends[i].Digits = 0
		for k, c := range bytes {
			if c-'0' <= 9 {
				ends[i].Digits |= 1 << k
			}
		}
		var feeds, returns uint64
		for rest := controls; rest != 0; rest &= rest - 1 {
			switch b[i*BlockBytes+bits.TrailingZeros64(rest)] {
			case '\n':
				feeds |= rest & -rest
			case '\r':
				returns |= rest & -rest
			}
		}
		ends[i].Feeds = feeds
		faults |= controls&^(feeds|returns) | (returns<<1|returned)&^feeds
		returned = returns >> 63
		wide |= high
		allEscaped |= ends[i].Escaped
	}
	return carry, Found{Invalid: faults|returned != 0, NonASCII: wide != 0, Escapes: allEscaped != 0}
}
