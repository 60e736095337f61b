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

// reverse4 and reverse8 hold the index from which each byte of a vector comes when the bytes of all
// values of 4 or 8 bytes are reversed, within groups of 16 bytes.
var reverse4, reverse8 = reversal(4), reversal(8)

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
