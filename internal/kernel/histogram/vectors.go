//go:build amd64 || arm64

package histogram

import "unsafe"

// leader returns the first value of a block; a byte is repeated twice.
func leader(block unsafe.Pointer, width int) uint16 {
	if width == 1 {
		return uint16(*(*uint8)(block)) * 0x0101
	}
	return *(*uint16)(block)
}

// Bytes of vectors and of values, for kernels that are derived from each other.
const (
	bytesNEON, bytesAVX2, bytesAVX512 = 16, 32, 64
	width32, width64                  = 4, 8
)

// reverse32 and reverse64 hold the index from which each byte of a vector comes when the bytes of all
// values of so many bits are reversed, within groups of 16 bytes.
var reverse32, reverse64 = reversal(width32), reversal(width64)

func reversal(width int) (table [64]int8) {
	for place := range table {
		table[place] = int8(place%16 ^ (width - 1))
	}
	return table
}

// extremes returns the minimum of lows and the maximum of highs.
func extremes[T uint32 | uint64](lows, highs []T) (low, high T) {
	low, high = lows[0], highs[0]
	for i := range lows {
		low, high = min(low, lows[i]), max(high, highs[i])
	}
	return low, high
}
