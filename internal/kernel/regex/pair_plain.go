package regex

import "bytes"

// pair finds the places of a text that have a byte of one set at one offset and a byte of another
// set at another offset. It is immutable.
type pair struct {
	off1, off2 int
	reach      int          // the larger offset
	in1, in2   [256]uint8   // 1 for a byte that is in the set
	rows       [4][64]uint8 // the rows of the sets, below 0x80 and from there on, repeated four times
	lone       bool         // whether a set has a single byte;
	loneByte   byte         // if so, that byte
	loneOff    int          // and its offset
}

// pairFunc returns the index of the first place, -1 if there is none.
type pairFunc func(p *pair, b []byte) int

// The vector scans do the same if b has places for at least a vector. The scheduler cannot
// interrupt them, so a call should get at most pieceBytes.
//
// A byte is in a set if the row of its low half has the bit of its high half. Two rows of eight
// bits, for high halves below 8 and from 8 on, make sixteen; shuffles look up rows and bits for a
// whole vector. An index with the highest bit set looks up 0, which selects between the two rows.
// Both sets are looked up at their offsets and the masks combined.

// halfBits holds the bit for each high half of a byte.
var halfBits = func() (bits [64]uint8) {
	for i := range bits {
		bits[i] = 1 << (i & 7)
	}
	return bits
}()

func newPair(off1 int, set1 *[256]bool, off2 int, set2 *[256]bool) *pair {
	p := &pair{off1: off1, off2: off2, reach: max(off1, off2)}
	for b := range 256 {
		for group := 0; group < 64; group += 16 {
			if set1[b] {
				p.in1[b] = 1
				p.rows[b>>7][group+b&15] |= 1 << (b >> 4 & 7)
			}
			if set2[b] {
				p.in2[b] = 1
				p.rows[2+b>>7][group+b&15] |= 1 << (b >> 4 & 7)
			}
		}
	}
	p.findLone(off1, &p.in1)
	p.findLone(off2, &p.in2)
	return p
}

// findLone notes a set that has a single byte.
func (p *pair) findLone(off int, in *[256]uint8) {
	if b := bytes.IndexByte(in[:], 1); b >= 0 && bytes.Count(in[:], []byte{1}) == 1 {
		p.lone, p.loneByte, p.loneOff = true, byte(b), off
	}
}

func pairPlain(p *pair, b []byte) int { return p.rest(b, 0) }

// rest is the plain search from i on. It excludes eight places at once if none has a byte of one of
// the sets, and tests first the set that last excluded some. If a set has a single byte, it jumps
// to the next occurrence and tests some places from there, so that a byte that is not rare does not
// cost a jump each time.
func (p *pair) rest(b []byte, i int) int {
	const eightsBetweenJumps = 2
	in, off, in2, off2 := &p.in1, p.off1, &p.in2, p.off2
	places := len(b) - p.reach
	for i < places {
		if p.lone {
			jump := bytes.IndexByte(b[i+p.loneOff:places+p.loneOff], p.loneByte)
			if jump < 0 {
				return -1
			}
			i += jump
		}
		for range eightsBetweenJumps {
			if i+8 <= places {
				if !anyIn(in, (*[8]byte)(b[i+off:])) {
					i += 8
					continue
				}
				in, off, in2, off2 = in2, off2, in, off
				if !anyIn(in, (*[8]byte)(b[i+off:])) {
					i += 8
					continue
				}
			}
			for end := min(i+8, places); i < end; i++ {
				if in[b[i+off]]&in2[b[i+off2]] != 0 {
					return i
				}
			}
			break
		}
	}
	return -1
}

// anyIn reports whether one of eight bytes is in a set.
func anyIn(in *[256]uint8, b *[8]byte) bool {
	return in[b[0]]|in[b[1]]|in[b[2]]|in[b[3]]|in[b[4]]|in[b[5]]|in[b[6]]|in[b[7]] != 0
}
