package minify

import (
	"bytes"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/kernel/minify"
)

// Append appends JSON in memory to dst, without the white space outside of its strings, and returns
// the result. It does not allocate if dst has room for all of src, and may work in place.
func Append(dst, src []byte) []byte {
	dst = slices.Grow(dst, len(src))
	n, _ := minify.Best().Func.Minify(dst[len(dst):len(dst)+len(src)], src, minify.State{})
	return dst[:len(dst)+n]
}

// pieceBytes is what a worker of AppendParallel takes at a time: piece and result together fit into
// a core's second-level cache.
const pieceBytes = 256 << 10

// nearBytes is how far before its regular place a piece may begin.
const nearBytes = 4096

// AppendParallel does what Append does with as many goroutines, or one for each processor if workers
// is not positive. Dst must not share memory with src, not even in place.
func AppendParallel(dst, src []byte, workers int) []byte {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, len(src)/pieceBytes)
	if workers <= 1 {
		return Append(dst, src)
	}
	dst = slices.Grow(dst, len(src))
	p := pieces{
		dst: dst[len(dst) : len(dst)+len(src)], src: src,
		count: int64(len(src) / pieceBytes), kernel: minify.Best().Func,
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(p.work)
	}
	wg.Wait()
	return dst[:len(dst)+p.before.bytes]
}

// progress is what the pieces before one left: how many bytes, and the state at their end.
type progress struct {
	bytes int
	state minify.State
}

// pieces is a text that workers minify piece by piece. A piece goes to a buffer that stays in the
// core's cache, and from there to its place, because the kernel also writes behind the bytes that it
// keeps, where another worker's piece lies.
//
// The progress before a piece is handed on in order, within a microsecond or less, so workers spin
// while they wait for it.
type pieces struct {
	dst, src []byte
	count    int64
	kernel   minify.Kernel
	taken    atomic.Int64

	turn   atomic.Int64 // the next piece whose progress is known
	before progress     // of that piece; only the worker whose turn it is may use it
}

// buffers are as long as the last piece, which is the longest.
var buffers = sync.Pool{New: func() any { return new([2*pieceBytes + nearBytes]byte) }}

// work minifies pieces until there are no more.
//
// In JSON a line feed is never inside a string. So a piece behind a line feed is minified at once, as
// if it began outside of strings, and again if that turns out to be wrong. Any other piece is first
// summarised, so that the next piece need not wait for it.
func (p *pieces) work() {
	buffer := buffers.Get().(*[2*pieceBytes + nearBytes]byte)
	defer buffers.Put(buffer)
	for k := p.taken.Add(1) - 1; k < p.count; k = p.taken.Add(1) - 1 {
		at := cut(p.src, int(k))
		piece := p.src[at:cut(p.src, int(k+1))]
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
		p.before = progress{begin.bytes + n, end}
		p.turn.Store(k + 1)
		if !guessed {
			p.kernel.Minify(buffer[:], piece, begin.state)
		}
		minify.CopyNonTemporal(p.dst[begin.bytes:], buffer[:n])
	}
}

// await waits for the turn of a piece. The worker before it may have lost the processor.
func (p *pieces) await(k int64) {
	const spins = 1000
	for i := 0; p.turn.Load() != k; i++ {
		if i > spins {
			runtime.Gosched()
		}
	}
}

// cut returns where a piece begins: behind a line feed if there is one near.
func cut(src []byte, k int) int {
	switch at := k * pieceBytes; {
	case k == 0:
		return 0
	case k == len(src)/pieceBytes:
		return len(src)
	default:
		if feed := bytes.LastIndexByte(src[at-nearBytes:at], '\n'); feed >= 0 {
			return at - nearBytes + feed + 1
		}
		return at
	}
}
