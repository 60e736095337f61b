package thresh

import (
	"bytes"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/kernel/minify"
)

// Minify appends JSON to dst, without the white space that lies outside of its strings, and
// returns the result. Nothing else changes, and nothing is checked: what is not JSON comes
// out as well, less the spaces, tabs, carriage returns and line feeds outside of quotes.
//
// Src is one JSON text. Of several values the white space between them goes too, so that 1 and 2
// become 12: minify them one by one, or by MinifyFile, which keeps them apart.
//
// It does not allocate where dst has room for all of src. In place is right too:
// Minify(src[:0], src). Other than so dst must not share memory with src.
func Minify(dst, src []byte) []byte {
	dst = slices.Grow(dst, len(src))
	n, _ := minify.Best().Func.Minify(dst[len(dst):len(dst)+len(src)], src, minify.State{})
	return dst[:len(dst)+n]
}

// minifyPieceBytes is what a worker of MinifyParallel takes at a time: piece and result
// together lie in a core's second cache.
const minifyPieceBytes = 256 << 10

// minifyNearBytes is how far before its place a piece may begin instead.
const minifyNearBytes = 4096

// MinifyParallel does what Minify does by as many goroutines, or one for each processor if
// workers is not positive. It pays from some megabytes on. dst must not share memory with
// src, not even in place.
func MinifyParallel(dst, src []byte, workers int) []byte {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, len(src)/minifyPieceBytes)
	if workers <= 1 {
		return Minify(dst, src)
	}
	dst = slices.Grow(dst, len(src))
	p := minifyPieces{
		dst: dst[len(dst) : len(dst)+len(src)], src: src,
		pieces: int64(len(src) / minifyPieceBytes), kernel: minify.Best().Func,
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(p.work)
	}
	wg.Wait()
	return dst[:len(dst)+p.before.bytes]
}

// minified is what the pieces before one say: how much of them stayed, and how they end.
type minified struct {
	bytes int
	state minify.State
}

// minifyPieces is a text that is minified in pieces, by whoever takes the next one. A piece
// goes to a buffer that stays in the core's cache, and from there to its place, because the
// kernel also writes behind what stays, where another worker's piece lies.
//
// What stands before a piece is handed on in order, in a microsecond or less, so those who
// wait for it spin.
type minifyPieces struct {
	dst, src []byte
	pieces   int64
	kernel   minify.Kernel
	taken    atomic.Int64

	turn   atomic.Int64 // the piece whose beginning is known
	before minified     // of that piece; it belongs to whose turn it is
}

// minifyBuffers are as long as the last piece, which is the longest.
var minifyBuffers = sync.Pool{New: func() any { return new([2*minifyPieceBytes + minifyNearBytes]byte) }}

// work minifies pieces until there are no more.
//
// In JSON a line feed is never in a string. So a piece behind one is minified at once, as if
// it began outside; it has to be done again if that turns out to be wrong. For another piece a
// summary says what the next one needs to know, before its own beginning is known.
func (p *minifyPieces) work() {
	buffer := minifyBuffers.Get().(*[2*minifyPieceBytes + minifyNearBytes]byte)
	defer minifyBuffers.Put(buffer)
	for k := p.taken.Add(1) - 1; k < p.pieces; k = p.taken.Add(1) - 1 {
		at := minifyCut(p.src, int(k))
		piece := p.src[at:minifyCut(p.src, int(k+1))]
		guessed := at == 0 || p.src[at-1] == '\n'
		var sum minify.Summary
		var n int
		var end minify.State
		if guessed {
			n, end = p.kernel.Minify(buffer[:], piece, minify.State{})
		} else {
			sum = p.kernel.Summarize(piece)
		}
		p.await(k)
		begin := p.before
		if guessed && begin.state != (minify.State{}) {
			guessed, sum = false, p.kernel.Summarize(piece)
		}
		if !guessed {
			var kept int64
			end, kept = sum.From(begin.state)
			n = int(kept)
		}
		p.before = minified{begin.bytes + n, end}
		p.turn.Store(k + 1)
		if !guessed {
			p.kernel.Minify(buffer[:], piece, begin.state)
		}
		minify.CopyNonTemporal(p.dst[begin.bytes:], buffer[:n])
	}
}

// await waits for a turn. Somebody is at work on it, who may have lost the processor.
func (p *minifyPieces) await(k int64) {
	const spins = 1000
	for i := 0; p.turn.Load() != k; i++ {
		if i > spins {
			runtime.Gosched()
		}
	}
}

// minifyCut returns where a piece begins: behind a line feed, if there is one near.
func minifyCut(src []byte, k int) int {
	switch at := k * minifyPieceBytes; {
	case k == 0:
		return 0
	case k == len(src)/minifyPieceBytes:
		return len(src)
	default:
		if feed := bytes.LastIndexByte(src[at-minifyNearBytes:at], '\n'); feed >= 0 {
			return at - minifyNearBytes + feed + 1
		}
		return at
	}
}
