package stats

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// addPlain decodes and adds value by value.
func addPlain(s *scratch, c column, b []byte) {
	switch width := c.typ.Width(); {
	case c.typ.Float() && width == 1:
		addFloatBytes(&s.parts, c, b)
	case c.typ.Float():
		for blockBytes := blockValues * width; len(b) > 0; b = b[min(len(b), blockBytes):] {
			s.addFloats(c, b[:min(len(b), blockBytes)])
		}
	case width == 1 && len(b) >= tableBytes:
		addBytes(&s.parts, c, b)
	case width == 1:
		addInts[uint8](&s.parts, c, b)
	case width == 2:
		addInts[uint16](&s.parts, c, b)
	case width == 4:
		addInts[uint32](&s.parts, c, b)
	default:
		addInts[uint64](&s.parts, c, b)
	}
}

// addFloats adds the values of a block that are not NaN.
func (s *scratch) addFloats(c column, b []byte) {
	width, bigEndian := c.typ.Width(), c.typ.BigEndian()
	bfloat := width == 2 && c.bfloat()
	numbers, least, greatest := 0, uint64(math.MaxUint64), uint64(0)
	for i := 0; i < len(b); i += width {
		var x float64
		switch width {
		case 2:
			x = widen(kernel.Load[uint16](b[i:], bigEndian), bfloat)
		case 4:
			x = float64(math.Float32frombits(kernel.Load[uint32](b[i:], bigEndian)))
		default:
			x = math.Float64frombits(kernel.Load[uint64](b[i:], bigEndian))
		}
		if x != x {
			continue
		}
		least = min(least, rank(x))
		greatest = max(greatest, rank(x))
		s.block[numbers] = x
		numbers++
	}
	n := len(b) / width
	s.parts.n += uint64(n)
	s.parts.nan += uint64(n - numbers)
	s.parts.inf += infinities(s.block[:numbers])
	s.parts.bound(least, greatest)
	s.parts.floats.AddSlice(s.block[:numbers])
}

// addInts adds the lower and the upper 32 bits separately, so that a piece cannot overflow a sum.
func addInts[T uint8 | uint16 | uint32 | uint64](t *totals, c column, b []byte) {
	bias, bigEndian, width := T(c.bias), c.typ.BigEndian(), int(unsafe.Sizeof(T(0)))
	least, greatest := ^T(0), T(0)
	var sum, sum32 uint64
	for i := 0; i+width <= len(b); i += width {
		v := kernel.Load[T](b[i:], bigEndian) ^ bias
		least = min(least, v)
		greatest = max(greatest, v)
		sum += uint64(v) & (1<<32 - 1)
		sum32 += uint64(v) >> 32
	}
	t.ints.AddUint64(sum)
	t.ints.MulAddUint64(1<<32, sum32)
	if n := len(b) / width; n > 0 {
		t.n += uint64(n)
		t.bound(uint64(least), uint64(greatest))
	}
}

// tableBytes is the length from which it pays to count how often each byte occurs.
const tableBytes = 2 << 10

// addBytes counts how often each byte occurs, and adds the products.
func addBytes(t *totals, c column, b []byte) {
	counts := countBytes(b)
	var sum uint64
	for char, n := range counts {
		if n > 0 {
			v := uint64(uint8(char) ^ uint8(c.bias))
			sum += n * v
			t.bound(v, v)
		}
	}
	t.ints.AddUint64(sum)
	t.n += uint64(len(b))
}

// countBytes returns how often each byte occurs. Neighbours are counted in different tables:
// otherwise equal neighbours would have to wait for each other.
func countBytes(b []byte) (all [256]uint64) {
	var counts [4][256]uint32
	i := 0
	for ; i+len(counts) <= len(b); i += len(counts) {
		four := binary.LittleEndian.Uint32(b[i:])
		counts[0][uint8(four)]++
		counts[1][uint8(four>>8)]++
		counts[2][uint8(four>>16)]++
		counts[3][uint8(four>>24)]++
	}
	for ; i < len(b); i++ {
		counts[0][b[i]]++
	}
	for char := range all {
		all[char] = uint64(counts[0][char]) + uint64(counts[1][char]) + uint64(counts[2][char]) + uint64(counts[3][char])
	}
	return all
}
