package minify

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/json/jsontext"
	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/minify"
)

// worker minifies blocks into its buffer and writes the buffer.
type worker struct {
	*Run
	stop      *atomic.Bool
	buf       []byte
	describer *jsonscan.Describer
	keeps     [jsonscan.TileBytes / jsonscan.BlockBytes]uint64 // the bytes of the tile to keep
	begins    [jsonscan.TileBytes / jsonscan.BlockBytes]uint64 // the first bytes of values that directly follow another
	last      [jsonscan.BlockBytes]byte                        // a partial block at the end
	sum       *jsontext.Sum                                    // nil without validation
	open      bool                                             // a block was begun and is not finished
	pages     byte                                             // makes sure that touch reads each page
}

// Finish returns the worker to the run.
func (w *worker) Finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle = append(w.idle, w)
}

// Search minifies a block and writes the result.
//
// It first touches every page of the block: if a page of a mapping cannot be read, Search panics
// before it has handed anything over, and the block comes again with fewer bytes. If pages are
// lost only in the microseconds after that, the scan ends. The bytes are then reported as unread,
// and the text is not complete.
func (w *worker) Search(b engine.Block, _ func(answer.Hit) bool) {
	if w.open {
		w.stop.Store(true)
		return
	}
	src, end := b.Data[:b.Len], b.Off+int64(b.Len)
	w.touch(src)
	w.open = true
	if err := w.work(src, b.Off, end); err != nil {
		w.fail(err)
	}
	w.open = false
}

const pageBytes = 4096

func (w *worker) touch(b []byte) {
	var pages byte
	for i := 0; i < len(b); i += pageBytes {
		pages |= b[i]
	}
	w.pages = pages | b[len(b)-1]
}

// work minifies, validates and writes a block. It also returns nil if the scan was stopped
// meanwhile.
func (w *worker) work(src []byte, off, end int64) error {
	at, promised, ok := w.takeState(src, off, end)
	if !ok {
		return nil
	}
	n, several, last := w.minify(src, at)
	if promised == nil {
		w.states.Put(end, at.after(src, last))
	} else if promised.State != last {
		return fmt.Errorf("%s changed near %d while it was read: try again", w.file.Name, off)
	}
	if ok, err := w.validate(off, end); !ok {
		return err
	}
	to, ok := w.outputs.Take(off, w.stop)
	if !ok {
		return nil
	}
	next := outputState{to.off + int64(n), to.several || several}
	w.ends.Store(next.off)
	if w.out.Anywhere() {
		w.outputs.Put(end, next)
		return w.write(w.buf[:n], to.off)
	}
	err := w.write(w.buf[:n], to.off)
	if err == nil { // after a failed write, nothing more may be written
		w.outputs.Put(end, next)
	}
	return err
}

// takeState takes the state before a block. If other workers would otherwise wait, it summarizes the
// block, hands over the state after it at once, and returns that state as promised. A summary takes
// a small part of the time of validation, but not of minifying alone. So without validation, or if
// there is only one worker, a worker that need not wait for the state makes no summary: it hands
// the state over after it has minified the block, and promised is nil.
func (w *worker) takeState(src []byte, off, end int64) (at textState, promised *textState, ok bool) {
	if !w.Validate || w.workers.Load() == 1 {
		if at, ok = w.states.Try(off); ok {
			return at, nil, true
		}
	}
	sum := w.variant.Func.Summarize(src)
	if at, ok = w.states.Take(off, w.stop); !ok {
		return at, nil, false
	}
	state, _ := sum.From(at.State)
	next := at.after(src, state)
	w.states.Put(end, next)
	return at, &next, true
}

// minify minifies a block into the buffer and summarizes the block for the validator. It returns the
// length of the result, whether a value directly follows another, and the string state at the end.
func (w *worker) minify(src []byte, at textState) (n int, several bool, end minify.State) {
	if w.Validate {
		w.sum.Begin(src)
	}
	dst := w.buffer(len(src))
	state, marks := jsonscan.State(at.State), at.boundaries()
	before := 0 // bytes before the first value of the text
	if !at.begun {
		before = lead(src)
	}
	tile := tileBytes.Get()
	for from := 0; from < len(src); from += tile {
		p := src[from:min(from+tile, len(src))]
		blocks, next, found := w.describer.Describe(p, state)
		if w.Validate {
			w.sum.Add(from, blocks, found)
		}
		for i := range blocks {
			var lead uint64
			if rest := before - from - i*jsonscan.BlockBytes; rest > 0 {
				lead = 1<<min(rest, jsonscan.BlockBytes) - 1
			}
			w.keeps[i] = ^blocks[i].White | blocks[i].Inside
			w.begins[i] = marks.of(&blocks[i], lead)
			several = several || w.begins[i] != 0
		}
		n += w.keep(dst[n:], p, len(blocks))
		if len(p)%jsonscan.BlockBytes != 0 { // the last block was padded with spaces
			last := blocks[len(blocks)-1]
			rest := len(p) % jsonscan.BlockBytes
			next.Escaped = p[len(p)-1] == '\\' && last.Escaped>>(rest-1)&1 == 0
		}
		state = next
	}
	return n, several, minify.State(state)
}

// keep writes the bytes of a tile that stay, and a line feed before each value that directly follows
// another. If the byte before the value is a line feed, that one stays.
func (w *worker) keep(dst, p []byte, blocks int) (n int) {
	const blockBytes = jsonscan.BlockBytes
	done := 0 // blocks
	for i := range blocks {
		if w.begins[i] == 0 {
			continue
		}
		var cuts uint64 // the values that need a line feed inserted before them
		for begins := w.begins[i]; begins != 0; begins &= begins - 1 {
			switch at := i*blockBytes + bits.TrailingZeros64(begins) - 1; {
			case at < done*blockBytes || p[at] != '\n':
				cuts |= begins & -begins
			default:
				w.keeps[at/blockBytes] |= 1 << (at % blockBytes)
			}
		}
		if cuts == 0 {
			continue
		}
		n += w.compress(dst[n:], p, done, i)
		all := w.keeps[i]
		for ; cuts != 0; cuts &= cuts - 1 {
			below := cuts&-cuts - 1
			w.keeps[i] = all & below
			n += w.compress(dst[n:], p, i, i+1)
			dst[n] = '\n'
			n, all = n+1, all&^below
		}
		w.keeps[i] = all
		n += w.compress(dst[n:], p, i, i+1)
		done = i + 1
	}
	return n + w.compress(dst[n:], p, done, blocks)
}

// compress writes the bytes that stay of the blocks [from, to) of a tile.
func (w *worker) compress(dst, p []byte, from, to int) (n int) {
	const blockBytes = jsonscan.BlockBytes
	if from == to {
		return 0
	}
	whole := min(to, len(p)/blockBytes)
	if from < whole {
		n = w.variant.Func.Compress(dst, p[from*blockBytes:whole*blockBytes], w.keeps[from:whole])
	}
	if whole < to { // leave out the padding of the last block
		rest := copy(w.last[:], p[whole*blockBytes:])
		w.keeps[whole] &= 1<<rest - 1
		n += w.variant.Func.Compress(dst[n:], w.last[:], w.keeps[whole:to])
	}
	return n
}

// buffer returns the buffer, with room for the output of n bytes.
func (w *worker) buffer(n int) []byte {
	if need := outBytes(n); len(w.buf) < need {
		w.buf = make([]byte, max(need, outBytes(w.block)))
	}
	return w.buf
}

// outBytes bounds the output of n bytes, plus what the kernel may write beyond it. The worst case is
// 0[]0[], which gains two line feeds for three bytes. Only numbers have values of one byte,
// and between two numbers there is white space, which the line feed replaces.
func outBytes(n int) int { return n + 2*(n/3+1) + 2*jsonscan.BlockBytes }

// validate waits for the blocks before this one and joins its Sum. It returns false if the scan was
// stopped. If the text is not JSON it returns an error, after all earlier blocks are written to an
// output that needs order.
func (w *worker) validate(off, end int64) (ok bool, err error) {
	if !w.Validate {
		return true, nil
	}
	v, ok := w.valid.Take(off, w.stop)
	if !ok {
		return false, nil
	}
	if err := v.Join(w.sum); err != nil {
		w.outputs.Take(off, w.stop)
		return false, w.invalid(err)
	}
	w.valid.Put(end, v)
	return true, nil
}

// Miss ends the scan: the bytes after unreadable ones have no meaning without them. The bytes before
// them are in the output by then.
func (w *worker) Miss(u failure.UnreadError) {
	if !w.open {
		w.outputs.Take(u.Off, w.stop)
	}
	w.stop.Store(true)
}
