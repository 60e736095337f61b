package minify

import (
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Kernel] {
	return []kernel.Variant[Kernel]{
		{ISA: cpu.AVX512VBMI2, Func: Kernel{summarizeAVX512, minifyAVX512, keptByAVX512}},
		{ISA: cpu.AVX2, Func: Kernel{summarizeAVX2, minifyAVX2, keptByAVX2}},
	}
}

// stepAVX512 is two blocks, which halves the overhead of the loop.
const stepAVX512 = 2 * blockBytes

// spanBytes bounds a call of stepsAVX512, which the scheduler cannot interrupt.
const spanBytes = 64 << 10

func minifyAVX512(dst, src []byte, begin State) (n int, end State) {
	if len(src) < shortBytes {
		return minifyPlain(dst, src, begin)
	}
	return longAVX512(dst, src, begin)
}

func longAVX512(dst, src []byte, begin State) (n int, end State) {
	_ = dst[len(src)-1] // the code below checks no bounds
	whole := len(src) &^ (stepAVX512 - 1)
	n, w := blocksAVX512(dst, src[:whole], walkFrom(begin))
	if whole < len(src) {
		var last, kept [stepAVX512]byte
		padding, w0 := w.pad(last[:], src[whole:])
		m, w1 := blocksAVX512(kept[:], last[:], w0)
		n, w = n+copy(dst[n:], kept[padding:m]), w1
	}
	return n, w.state()
}

func blocksAVX512(dst, src []byte, w walk) (n int, end walk) {
	for len(src) > 0 {
		span := src[:min(len(src), spanBytes)]
		m, w1 := stepsAVX512(dst[n:], span, w)
		n, w, src = n+m, w1, src[len(span):]
	}
	return n, w
}

func minifyAVX2(dst, src []byte, begin State) (n int, end State) {
	if len(src) < shortBytes {
		return minifyPlain(dst, src, begin)
	}
	return longAVX2(dst, src, begin)
}

// longAVX2 is a function of its own, so that a short text does not pay for its frame.
//
//go:noinline
func longAVX2(dst, src []byte, begin State) (n int, end State) {
	_ = dst[len(src)-1] // the code below checks no bounds
	whole := len(src) &^ (blockBytes - 1)
	n, w := blocksAVX2(dst, src[:whole], walkFrom(begin))
	if whole < len(src) {
		var last, kept [blockBytes]byte
		padding, w0 := w.pad(last[:], src[whole:])
		m, w1 := blocksAVX2(kept[:], last[:], w0)
		n, w = n+copy(dst[n:], kept[padding:m]), w1
	}
	return n, w.state()
}

// blocksAVX2 first finds the bytes to keep of some blocks, then moves them together: two loops, so
// that the values of each fit in registers.
func blocksAVX2(dst, src []byte, w walk) (n int, end walk) {
	var keeps [tileBlocks]uint64
	for len(src) > 0 {
		tile := src[:min(len(src), tileBlocks*blockBytes)]
		w = keepsAVX2(&keeps, tile, w)
		to, from := unsafe.Pointer(unsafe.SliceData(dst[n:])), unsafe.Pointer(&tile[0])
		n += compressAVX2(to, from, &keeps[0], len(tile)/blockBytes)
		src = src[len(tile):]
	}
	return n, w
}

// compressAVX2 moves what stays of blocks together, by masks of it, and returns how much that
// is. There is no instruction for it, so it shuffles eight bytes at a time by a table. It is
// assembly because the whole takes 1.6 times as long with what the compiler makes of the same.
//
//go:noescape
func compressAVX2(dst, src unsafe.Pointer, keeps *uint64, blocks int) (n int)

func keptByAVX2(dst, src []byte, keeps []uint64) (n int) {
	if len(keeps) == 0 {
		return 0
	}
	_, _ = src[len(keeps)*blockBytes-1], dst[len(keeps)*blockBytes-1]
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	return compressAVX2(to, from, &keeps[0], len(keeps))
}

func summarizeAVX512(b []byte) (s Summary) {
	if len(b) < shortBytes {
		s.setPlain(b)
		return s
	}
	whole := len(b) &^ (stepAVX512 - 1)
	w, white, outside := whitesAVX512(b[:whole], walk{})
	if whole < len(b) {
		var last [stepAVX512]byte
		_, w = w.pad(last[:], b[whole:])
		w1, more, moreOutside := whitesAVX512(last[:], w)
		w, white, outside = w1, white+more, outside+moreOutside
	}
	return w.summary(b, white, outside)
}

func summarizeAVX2(b []byte) (s Summary) {
	if len(b) < shortBytes {
		s.setPlain(b)
		return s
	}
	whole := len(b) &^ (blockBytes - 1)
	w, white, outside := whitesAVX2(b[:whole], walk{})
	if whole < len(b) {
		var last [blockBytes]byte
		_, w = w.pad(last[:], b[whole:])
		w1, more, moreOutside := whitesAVX2(last[:], w)
		w, white, outside = w1, white+more, outside+moreOutside
	}
	return w.summary(b, white, outside)
}

// whites holds the white space of JSON, each byte at the index of its low four bits, in each 16
// bytes of a vector. The other entries are zero, whose low four bits differ from their index; index
// zero itself holds the space.
var whites = [64]uint8{
	0: ' ', 9: '\t', 10: '\n', 13: '\r',
	16: ' ', 25: '\t', 26: '\n', 29: '\r',
	32: ' ', 41: '\t', 42: '\n', 45: '\r',
	48: ' ', 57: '\t', 58: '\n', 61: '\r',
}
