//go:build goexperiment.simd && (amd64 || arm64)

package compare

import "math/bits"

// indexRegular calls the kernel of the width for the whole strides of b where vectors can
// do it: the stride is a power of two, at least a width and at most a vector, and b holds
// a vector. All else is for the plain form, and so is a last value that stands alone, its
// stride cut off by the end of b.
//
// A kernel reads vectors from wherever a stride begins, so each lane is in every vector
// either a value, or between values and without meaning.
func indexRegular(b []byte, a *arc, stride, vectorBytes int, kernels [4]searcher) int {
	whole := wholeStrides(b, a, stride, vectorBytes)
	if whole > 0 {
		if i := kernels[bits.TrailingZeros(uint(a.typ.width))](b[:whole], a, stride); i >= 0 {
			return i
		}
	}
	return behind(whole, indexPlain(b[whole:], a, stride))
}

// countRegular is indexRegular for the kernels that count.
func countRegular(b []byte, a *arc, stride, vectorBytes int, kernels [4]counter) int {
	whole, n := wholeStrides(b, a, stride, vectorBytes), 0
	if whole > 0 {
		n = kernels[bits.TrailingZeros(uint(a.typ.width))](b[:whole], a, stride)
	}
	return n + countPlain(b[whole:], a, stride)
}

// wholeStrides returns the bytes of the whole strides of b, 0 where vectors cannot serve
// them.
func wholeStrides(b []byte, a *arc, stride, vectorBytes int) int {
	whole := len(b) &^ (stride - 1)
	if stride&(stride-1) != 0 || stride < a.typ.width || stride > vectorBytes || whole < vectorBytes {
		return 0
	}
	return whole
}

// behind turns an index found in b[start:] into one of b.
func behind(start, i int) int {
	if i < 0 {
		return i
	}
	return start + i
}

const longestVectorBytes = 64

// blocksMax is how many blocks of four vectors a byte counts before it overflows.
const blocksMax = 255 / 4

// byteSwap holds, for values of 1<<i bytes, the place from which each byte of a vector
// comes when the bytes of all values are reversed, within groups of 16 bytes.
var byteSwap = func() (table [4][longestVectorBytes]int8) {
	for i := range table {
		for place := range table[i] {
			table[i][place] = int8(place%16 ^ (1<<i - 1))
		}
	}
	return table
}()

// gapLanes holds, for values of 1<<i bytes every 1<<j bytes, ones in the bytes of a vector
// that lie between values.
var gapLanes = func() (table [4][7][longestVectorBytes]byte) {
	for i := range table {
		for j := range table[i] {
			for place := range table[i][j] {
				if place%(1<<j) >= 1<<i {
					table[i][j][place] = 0xff
				}
			}
		}
	}
	return table
}()

// gaps returns the lanes between values of that width every stride bytes.
func gaps(width, stride int) *[longestVectorBytes]byte {
	return &gapLanes[bits.TrailingZeros(uint(width))][bits.TrailingZeros(uint(stride))]
}

// lastLanes are as many zeros as a vector may have, then as many ones.
var lastLanes = func() (table [2 * longestVectorBytes]byte) {
	for i := longestVectorBytes; i < len(table); i++ {
		table[i] = 0xff
	}
	return table
}()

// lanesFrom returns ones in the bytes of a vector behind the first skip.
func lanesFrom(skip int) *[longestVectorBytes]byte {
	return (*[longestVectorBytes]byte)(lastLanes[longestVectorBytes-skip:])
}
