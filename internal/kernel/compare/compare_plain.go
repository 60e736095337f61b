package compare

import (
	"encoding/binary"
	"unsafe"
)

// indexPlain decodes value by value, for every stride.
func indexPlain(b []byte, a *arc, stride int) int {
	switch a.typ.width {
	case 1:
		return indexValues[uint8](b, a, stride)
	case 2:
		return indexValues[uint16](b, a, stride)
	case 4:
		return indexValues[uint32](b, a, stride)
	}
	return indexValues[uint64](b, a, stride)
}

func indexValues[T uint8 | uint16 | uint32 | uint64](b []byte, a *arc, stride int) int {
	low, span, bigEndian, float := T(a.low), T(a.span), a.typ.bigEndian, a.typ.Float()
	width := a.typ.width
	for i := 0; i+width <= len(b); i += stride {
		v := load[T](b[i:], bigEndian)
		if float {
			v ^= -(v >> (8*width - 1)) >> 1
		}
		if v-low <= span {
			return i
		}
	}
	return -1
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
