package compare

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// byValue finds and counts contiguous values by decoding each.
func byValue(b []byte, a *arc) (i, n int) {
	w := a.typ.width
	switch w {
	case 1:
		return indexValues[uint8](b, a, w), countValues[uint8](b, a, w)
	case 2:
		return indexValues[uint16](b, a, w), countValues[uint16](b, a, w)
	case 4:
		return indexValues[uint32](b, a, w), countValues[uint32](b, a, w)
	}
	return indexValues[uint64](b, a, w), countValues[uint64](b, a, w)
}

// All lengths and alignments, with values at the ends of the arc and next to them, where a lane
// might borrow from its neighbour.
func TestLanes(t *testing.T) {
	const longest, alignments = 300, 8
	random := rand.New(rand.NewPCG(9, 10))
	buffer := make([]byte, longest+alignments)
	for _, name := range []string{"u8", "u16", "u16be", "i32", "i32be", "f32", "f32be", "u64", "f64be"} {
		typ := mustType(t, name)
		most, sign := typ.maxRank(), typ.signBit()
		for n := range longest + 1 {
			ends := []uint64{0, 1, sign - 1, sign, sign + 1, most - 1, most, random.Uint64() & most}
			a := &arc{typ: typ, low: ends[random.IntN(len(ends))], span: ends[random.IntN(len(ends))]}
			a.span = min(a.span, most-1)
			rare := 1 + random.IntN(60)
			for at := range buffer {
				buffer[at] = byte(random.Uint32())
			}
			for at := random.IntN(alignments); at+8 <= len(buffer); at += typ.width {
				key := a.low - 1 - uint64(random.IntN(3)) // outside, unless the arc is long
				if random.IntN(rare) == 0 {
					key = a.low + []uint64{0, a.span, a.span + 1, a.span / 2}[random.IntN(4)]
				}
				binary.LittleEndian.PutUint64(buffer[at:], key)
				if typ.bigEndian {
					binary.BigEndian.PutUint64(buffer[at:], key<<(64-8*typ.width))
				}
			}
			for start := range alignments {
				b := buffer[start:][:n:n]
				i, count := byValue(b, a)
				if got := indexPlain(b, a, typ.width); got != i {
					t.Fatalf("%s, low %#x, span %#x, in %x: found at %d, want %d", name, a.low, a.span, b, got, i)
				}
				if got := countPlain(b, a, typ.width); got != count {
					t.Fatalf("%s, low %#x, span %#x, in %x: %d, want %d", name, a.low, a.span, b, got, count)
				}
			}
		}
	}
}
