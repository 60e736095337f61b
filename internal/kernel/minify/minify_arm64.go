package minify

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Kernel] {
	return []kernel.Variant[Kernel]{{ISA: cpu.NEON, Func: Kernel{summarizeNEON, minifyNEON, keptByNEON}}}
}

func minifyNEON(dst, src []byte, begin State) (n int, end State) {
	if len(src) < shortBytes {
		return minifyPlain(dst, src, begin)
	}
	return longNEON(dst, src, begin)
}

func longNEON(dst, src []byte, begin State) (n int, end State) {
	_ = dst[len(src)-1] // the code below checks no bounds
	whole := len(src) &^ (blockBytes - 1)
	n, w := blocksNEON(dst, src[:whole], walkFrom(begin))
	if whole < len(src) {
		var last, kept [blockBytes]byte
		padding, w0 := w.pad(last[:], src[whole:])
		m, w1 := blocksNEON(kept[:], last[:], w0)
		n, w = n+copy(dst[n:], kept[padding:m]), w1
	}
	return n, w.state()
}

// blocksNEON first finds the bytes to keep of some blocks, then moves them together.
func blocksNEON(dst, src []byte, w walk) (n int, end walk) {
	var white, keeps [tileBlocks]uint64
	for len(src) > 0 {
		tile := src[:min(len(src), tileBlocks*blockBytes)]
		w = masksNEON(&white, &keeps, tile, w)
		n += keptByNEON(dst[n:], tile, keeps[:len(tile)/blockBytes])
		src = src[len(tile):]
	}
	return n, w
}

func summarizeNEON(b []byte) (s Summary) {
	if len(b) < shortBytes {
		s.setPlain(b)
		return s
	}
	whole := len(b) &^ (blockBytes - 1)
	w, white, outside := whitesNEON(b[:whole], walk{})
	if whole < len(b) {
		var last [blockBytes]byte
		_, w = w.pad(last[:], b[whole:])
		w1, more, moreOutside := whitesNEON(last[:], w)
		w, white, outside = w1, white+more, outside+moreOutside
	}
	return w.summary(b, white, outside)
}

// whitesNEON counts the white space, in all and outside strings.
func whitesNEON(b []byte, w walk) (end walk, all, outside int) {
	var white, keeps [tileBlocks]uint64
	for len(b) > 0 {
		tile := b[:min(len(b), tileBlocks*blockBytes)]
		w = masksNEON(&white, &keeps, tile, w)
		for i := range len(tile) / blockBytes {
			all += bits.OnesCount64(white[i])
			outside += bits.OnesCount64(^keeps[i])
		}
		b = b[len(tile):]
	}
	return w, all, outside
}

// places interleaves the upper half of a vector with the lower one, and weights then gives each
// byte its bit: see masksNEON.
var (
	places  = [16]uint8{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}
	weights = [16]uint8{1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128}
)

// row holds the white space of JSON, each byte at the index of its low four bits. The other entries
// are zero, whose low four bits differ from their index; index zero itself holds the space.
var row = [16]uint8{0: ' ', 9: '\t', 10: '\n', 13: '\r'}

// CopyNonTemporal copies src to dst like copy.
func CopyNonTemporal(dst, src []byte) int { return copy(dst, src) }
