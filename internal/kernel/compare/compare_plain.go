package compare

import "github.com/thresh-dev/thresh/internal/kernel"

// indexPlain skips steps of contiguous values without a match, then decodes value by value. Other
// strides are decoded value by value from the start.
func indexPlain(b []byte, a *arc, stride int) int {
	i := 0
	if a.contiguous(b, stride) {
		l := a.lanes()
		for i+stepBytes <= len(b) && l.step((*[stepBytes]byte)(b[i:])) == 0 {
			i += stepBytes
		}
	}
	found := -1
	switch a.typ.width {
	case 1:
		found = indexValues[uint8](b[i:], a, stride)
	case 2:
		found = indexValues[uint16](b[i:], a, stride)
	case 4:
		found = indexValues[uint32](b[i:], a, stride)
	default:
		found = indexValues[uint64](b[i:], a, stride)
	}
	if found < 0 {
		return -1
	}
	return i + found
}

func indexValues[T uint8 | uint16 | uint32 | uint64](b []byte, a *arc, stride int) int {
	low, span, bigEndian, float := T(a.low), T(a.span), a.typ.bigEndian, a.typ.Float()
	width := a.typ.width
	for i := 0; i+width <= len(b); i += stride {
		v := kernel.Load[T](b[i:], bigEndian)
		if float {
			v ^= -(v >> (8*width - 1)) >> 1
		}
		if v-low <= span {
			return i
		}
	}
	return -1
}
