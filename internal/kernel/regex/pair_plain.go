package regex

// pair finds the places of a text with a byte of one set at one offset and a byte of
// another set at another. It is immutable.
type pair struct {
	off1, off2 int
	reach      int // the larger offset
	set1, set2 [256]bool
	rows       [4][64]uint8 // the sets' rows, below and from 0x80, four times over
}

// pairFunc returns the first place, -1 if there is none.
type pairFunc func(p *pair, b []byte) int

// The scans of vectors do the same where b has places for a vector or more. No goroutine can be
// stopped in one, so pieceBytes is as much as it should get at once.
//
// A byte is in a set if the row of its low half has the bit of its high half. Two rows of
// eight bits, for high halves below and from 8, make sixteen; a shuffle looks up rows and
// bits for a whole vector. An index with the highest bit set looks up 0, which chooses
// between the rows. Both sets are looked up at their offsets and the masks combined.

// halfBits holds the bit that stands for each high half of a byte.
var halfBits = func() (bits [64]uint8) {
	for i := range bits {
		bits[i] = 1 << (i & 7)
	}
	return bits
}()

func newPair(off1 int, set1 *[256]bool, off2 int, set2 *[256]bool) *pair {
	p := &pair{off1: off1, off2: off2, reach: max(off1, off2), set1: *set1, set2: *set2}
	for b := range 256 {
		for group := 0; group < 64; group += 16 {
			if set1[b] {
				p.rows[b>>7][group+b&15] |= 1 << (b >> 4 & 7)
			}
			if set2[b] {
				p.rows[2+b>>7][group+b&15] |= 1 << (b >> 4 & 7)
			}
		}
	}
	return p
}

// pairPlain looks at each place.
func pairPlain(p *pair, b []byte) int {
	for i := 0; i+p.reach < len(b); i++ {
		if p.set1[b[i+p.off1]] && p.set2[b[i+p.off2]] {
			return i
		}
	}
	return -1
}
