package regex

import "bytes"

// pair finds the places of a text with a byte of one set at one offset and a byte of
// another set at another. It is immutable.
type pair struct {
	off1, off2 int
	reach      int          // the larger offset
	in1, in2   [256]uint8   // 1 for a byte that is in the set
	rows       [4][64]uint8 // the sets' rows, below and from 0x80, four times over
	lone       bool         // whether a set has one byte only, which is then
	loneByte   byte         // this one, and at
	loneOff    int          // this offset
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

// findLone notes a set that has one byte only.
func (p *pair) findLone(off int, in *[256]uint8) {
	if b := bytes.IndexByte(in[:], 1); b >= 0 && bytes.Count(in[:], []byte{1}) == 1 {
		p.lone, p.loneByte, p.loneOff = true, byte(b), off
	}
}

func pairPlain(p *pair, b []byte) int { return p.rest(b, 0) }

// rest is the plain search from i on. It rules out eight places at once where none has a byte
// of one of the sets, and asks that set first which did so last. Where a set has one byte
// only, it jumps to the next of these, and looks at some places from there, so that a byte
// which is not rare costs no jump each.
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
