package compare

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// countPlain counts contiguous values several at a time, then value by value. Other strides are
// counted value by value from the start.
func countPlain(b []byte, a *arc, stride int) (n int) {
	if a.contiguous(b, stride) {
		l, i := a.lanes(), 0
		for ; i+stepBytes <= len(b); i += stepBytes {
			n += bits.OnesCount64(l.step((*[stepBytes]byte)(b[i:])))
		}
		b = b[i:]
	}
	switch a.typ.width {
	case 1:
		return n + countValues[uint8](b, a, stride)
	case 2:
		return n + countValues[uint16](b, a, stride)
	case 4:
		return n + countValues[uint32](b, a, stride)
	}
	return n + countValues[uint64](b, a, stride)
}

func countValues[T uint8 | uint16 | uint32 | uint64](b []byte, a *arc, stride int) int {
	low, span, bigEndian, float := T(a.low), T(a.span), a.typ.bigEndian, a.typ.Float()
	width := a.typ.width
	n := 0
	for i := 0; i+width <= len(b); i += stride {
		v := kernel.Load[T](b[i:], bigEndian)
		if float {
			v ^= -(v >> (8*width - 1)) >> 1
		}
		if v-low <= span {
			n++
		}
	}
	return n
}
