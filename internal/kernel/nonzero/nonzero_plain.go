package nonzero

import (
	"encoding/binary"
	"math/bits"
)

// indexPlain skips zeros 64 bytes at a time, then eight. In the first word that is not zero, the
// lowest set bit belongs to the first byte that is not zero. It tests the rest byte by byte.
func indexPlain(b []byte) int {
	const blockBytes, wordBytes = 64, 8
	i := 0
	for i+blockBytes <= len(b) && isZero((*[blockBytes]byte)(b[i:])) {
		i += blockBytes
	}
	for ; i+wordBytes <= len(b); i += wordBytes {
		if word := binary.LittleEndian.Uint64(b[i:]); word != 0 {
			return i + bits.TrailingZeros64(word)/8
		}
	}
	for ; i < len(b); i++ {
		if b[i] != 0 {
			return i
		}
	}
	return -1
}

func isZero(b *[64]byte) bool {
	return binary.NativeEndian.Uint64(b[0:])|binary.NativeEndian.Uint64(b[8:])|
		binary.NativeEndian.Uint64(b[16:])|binary.NativeEndian.Uint64(b[24:])|
		binary.NativeEndian.Uint64(b[32:])|binary.NativeEndian.Uint64(b[40:])|
		binary.NativeEndian.Uint64(b[48:])|binary.NativeEndian.Uint64(b[56:]) == 0
}
