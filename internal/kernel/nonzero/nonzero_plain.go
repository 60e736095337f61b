package nonzero

import "encoding/binary"

// indexPlain skips zeros eight bytes at a time and then looks byte by byte.
func indexPlain(b []byte) int {
	i := 0
	for i+8 <= len(b) && binary.NativeEndian.Uint64(b[i:]) == 0 {
		i += 8
	}
	for ; i < len(b); i++ {
		if b[i] != 0 {
			return i
		}
	}
	return -1
}
