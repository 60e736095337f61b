package thresh

import (
	"bytes"
	"runtime"
	"slices"
	"sync"

	"github.com/thresh-dev/thresh/internal/kernel/minify"
)

// Minify appends JSON to dst, without the white space that lies outside of its strings, and
// returns the result. Nothing else changes, and nothing is checked: what is not JSON comes
// out as well, less the spaces, tabs, carriage returns and line feeds outside of quotes.
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
	// What stands before a piece goes from worker to worker, in the order of the pieces.
	ring := make([]chan minified, workers)
	for w := range ring {
		ring[w] = make(chan minified, 1)
	}
	ring[0] <- minified{}
	out, pieces := dst[len(dst):len(dst)+len(src)], len(src)/minifyPieceBytes
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			minifyPieces(out, src, w, workers, ring[w], ring[(w+1)%workers])
		})
	}
	wg.Wait()
	last := <-ring[pieces%workers]
	return dst[:len(dst)+last.bytes]
}

// minified is what the pieces before one say: how much of them stayed, and how they end.
type minified struct {
	bytes int
	state minify.State
}

// minifyPieces minifies the pieces first, first+step and so on. A piece goes to a buffer, and
// from there to its place, because the kernel also writes behind what stays, where another
// worker's piece lies.
//
// In JSON a line feed is never in a string. So a piece behind one is minified at once, as if
// it began outside; it has to be done again if that turns out to be wrong. For another piece a
// summary says what the next one needs to know, before its own beginning is known.
func minifyPieces(dst, src []byte, first, step int, before <-chan minified, behind chan<- minified) {
	kernel := minify.Best().Func
	buffer := make([]byte, 2*minifyPieceBytes+minifyNearBytes) // the last piece is the longest
	pieces := len(src) / minifyPieceBytes
	for k := first; k < pieces; k += step {
		at := minifyCut(src, k)
		piece := src[at:minifyCut(src, k+1)]
		guessed := at == 0 || src[at-1] == '\n'
		var sum minify.Summary
		var n int
		var end minify.State
		if guessed {
			n, end = kernel.Minify(buffer, piece, minify.State{})
		} else {
			sum = kernel.Summarize(piece)
		}
		begin := <-before
		if guessed && begin.state != (minify.State{}) {
			guessed, sum = false, kernel.Summarize(piece)
		}
		if guessed {
			behind <- minified{begin.bytes + n, end}
		} else {
			end, kept := sum.From(begin.state)
			behind <- minified{begin.bytes + int(kept), end}
			n, _ = kernel.Minify(buffer, piece, begin.state)
		}
		copy(dst[begin.bytes:], buffer[:n])
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
