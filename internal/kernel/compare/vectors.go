//go:build amd64 || arm64

package compare

import (
	"math/bits"
	"unsafe"
)

// vectors holds the kernels of an instruction set, indexed by the logarithm of the width. They work
// on whole strides; a stride is a power of two from one width to one vector. A call gets at least
// one vector and less than two pieces, because the scheduler cannot interrupt a kernel.
//
// A kernel reads vectors from where a stride begins. So a lane is the same in every vector: part of
// a value, or meaningless bytes between values.
type vectors struct {
	bytes int // of a vector

	finders  [4]finder
	counters [4]counter
}

// finder returns the index of the first value that fits. If it found none, or only the block that
// holds one, it returns how far it got.
type finder = func(b []byte, a *arc, stride int) (i int, found bool)

// pieceBytes bounds the bytes of a call.
const pieceBytes = 256 << 10

// index lets the vectors search the whole strides of b, if they can. The plain variant searches the
// rest, including a last value whose stride is cut off by the end of b.
func (v *vectors) index(b []byte, a *arc, stride int) int {
	find := v.finders[bits.TrailingZeros(uint(a.typ.width))]
	at := 0
	for rest := b[:v.wholeStrides(b, a, stride)]; len(rest) > 0; {
		p := piece(rest)
		i, found := find(p, a, stride)
		at += i
		if found {
			return at
		}
		if i < len(p) {
			break
		}
		rest = rest[i:]
	}
	if at == len(b) {
		return -1
	}
	if i := indexPlain(b[at:], a, stride); i >= 0 {
		return at + i
	}
	return -1
}

// count is index for the kernels that count.
func (v *vectors) count(b []byte, a *arc, stride int) (n int) {
	count := v.counters[bits.TrailingZeros(uint(a.typ.width))]
	whole := v.wholeStrides(b, a, stride)
	for rest := b[:whole]; len(rest) > 0; {
		p := piece(rest)
		n += count(p, a, stride)
		rest = rest[len(p):]
	}
	if whole == len(b) {
		return n
	}
	return n + countPlain(b[whole:], a, stride)
}

// wholeStrides returns the bytes of the whole strides of b, or 0 if the vectors cannot handle them.
func (v *vectors) wholeStrides(b []byte, a *arc, stride int) int {
	whole := len(b) &^ (stride - 1)
	if stride&(stride-1) != 0 || stride < a.typ.width || stride > v.bytes || whole < v.bytes {
		return 0
	}
	return whole
}

// piece returns the part of b for one call. The last piece is no shorter than the others.
func piece(b []byte) []byte {
	if len(b) < 2*pieceBytes {
		return b
	}
	return b[:pieceBytes]
}

// Widths in bytes, and their logarithms, for kernels that are derived from each other.
const (
	width8, width16, width32, width64 = 1, 2, 4, 8
	log8, log16, log32, log64         = 0, 1, 2, 3
)

const longestVectorBytes = 64

// blocksMax is how many blocks of four vectors fit a sum of one byte before it overflows.
const blocksMax = 255 / 4

// byteSwap holds, for values of 1<<i bytes, the index from which each byte of a vector comes when
// the bytes of all values are reversed, within groups of 16 bytes.
var byteSwap = func() (table [4][longestVectorBytes]int8) {
	for i := range table {
		for place := range table[i] {
			table[i][place] = int8(place%16 ^ (1<<i - 1))
		}
	}
	return table
}()

// gapLanes holds, for values of 1<<i bytes every 1<<j bytes, ones in the bytes of a vector that lie
// between values. No vector has a stride of 1<<7 bytes: there are eight entries so that any three
// bits are a valid index.
var gapLanes = func() (table [4][8][longestVectorBytes]byte) {
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

// gaps returns the lanes between values of this width every stride bytes.
func gaps(width, stride int) *[longestVectorBytes]byte {
	return &gapLanes[bits.TrailingZeros(uint(width))][bits.TrailingZeros(uint(stride))&7]
}

// lastLanes holds as many zeros as the longest vector has bytes, then as many ones.
var lastLanes = func() (table [2 * longestVectorBytes]byte) {
	for i := longestVectorBytes; i < len(table); i++ {
		table[i] = 0xff
	}
	return table
}()

// lanesFrom returns a vector with ones in all bytes but the first skip, which is less than a
// vector.
func lanesFrom(skip int) *[longestVectorBytes]byte {
	first := uint(longestVectorBytes-skip) % uint(len(lastLanes))
	return (*[longestVectorBytes]byte)(unsafe.Pointer(&lastLanes[first]))
}
