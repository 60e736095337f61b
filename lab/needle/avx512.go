//go:build goexperiment.simd && amd64

package needle

import (
	"math/bits"
	"simd/archsimd"
)

// indexAVX512 returns the index of the first nonzero byte of b, or -1 if there is none.
func indexAVX512(b []byte) int {
	const (
		lanes   = 64
		step    = 2 * lanes
		allZero = ^uint64(0) // a bit is set for each byte that is zero
	)
	zero := archsimd.BroadcastUint8x64(0)
	whole := len(b) &^ (step - 1)
	for i := 0; i < whole; i += step {
		low := archsimd.LoadUint8x64(b[i : i+lanes]).Equal(zero).ToBits()
		high := archsimd.LoadUint8x64(b[i+lanes : i+step]).Equal(zero).ToBits()
		if low != allZero {
			return i + bits.TrailingZeros64(^low)
		}
		if high != allZero {
			return i + lanes + bits.TrailingZeros64(^high)
		}
	}
	for i := whole; i < len(b); i++ {
		if b[i] != 0 {
			return i
		}
	}
	return -1
}
