package stats

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// addPlain decodes and adds value by value.
func addPlain(s *scratch, c column, b []byte) {
	switch width := c.typ.Width(); {
	case c.typ.Float() && width == 4:
		for ; len(b) >= width; b = b[width:] {
			raw := load[uint32](b, c.typ.BigEndian())
			s.parts.addFloat(float64(math.Float32frombits(raw)))
		}
	case c.typ.Float():
		for ; len(b) >= width; b = b[width:] {
			raw := load[uint64](b, c.typ.BigEndian())
			s.parts.addFloat(math.Float64frombits(raw))
		}
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

func (t *totals) addFloat(x float64) {
	t.n++
	if x != x {
		t.nan++
		return
	}
	t.bound(rank(x), rank(x))
	t.floats.Add(x)
}

func addInts[T uint8 | uint16 | uint32 | uint64](t *totals, c column, b []byte) {
	bias, bigEndian, width := T(c.bias), c.typ.BigEndian(), int(unsafe.Sizeof(T(0)))
	least, greatest := ^T(0), T(0)
	for i := 0; i+width <= len(b); i += width {
		v := load[T](b[i:], bigEndian) ^ bias
		least = min(least, v)
		greatest = max(greatest, v)
		t.ints.AddUint64(uint64(v))
	}
	if n := len(b) / width; n > 0 {
		t.n += uint64(n)
		t.bound(uint64(least), uint64(greatest))
	}
}

// load returns the value that b begins with. Each width has an instance of its own, for
// which the compiler keeps one case.
func load[T uint8 | uint16 | uint32 | uint64](b []byte, bigEndian bool) T {
	switch unsafe.Sizeof(T(0)) {
	case 1:
		return T(b[0])
	case 2:
		if bigEndian {
			return T(binary.BigEndian.Uint16(b))
		}
		return T(binary.LittleEndian.Uint16(b))
	case 4:
		if bigEndian {
			return T(binary.BigEndian.Uint32(b))
		}
		return T(binary.LittleEndian.Uint32(b))
	}
	if bigEndian {
		return T(binary.BigEndian.Uint64(b))
	}
	return T(binary.LittleEndian.Uint64(b))
}
