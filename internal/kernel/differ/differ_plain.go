package differ

import (
	"encoding/binary"
	"math/bits"
)

// differsPlain compares eight bytes at a time. In the first words that differ, the lowest bit that does belongs to the
// first byte that does. It compares the rest byte by byte.
func differsPlain(a, b []byte) int {
	const wordBytes = 8
	b = b[:len(a)]
	i := 0
	for ; i+wordBytes <= len(a); i += wordBytes {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for ; i < len(a); i++ {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

func equalsPlain(a, b []byte) int {
	b = b[:len(a)]
	for i := range a {
		if a[i] == b[i] {
			return i
		}
	}
	return -1
}
