package minify

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/json/jsontext"
	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/minify"
	"github.com/thresh-dev/thresh/internal/scan"
)

// worker minifies blocks into its buffer, and writes that.
type worker struct {
	*Run
	stop      *atomic.Bool
	buf       []byte
	describer *jsonscan.Describer
	keeps     [jsonscan.TileBytes / jsonscan.BlockBytes]uint64 // of the tile: what stays
	begins    [jsonscan.TileBytes / jsonscan.BlockBytes]uint64 // and which values directly follow another
	last      [jsonscan.BlockBytes]byte                        // a block that is not whole
	sum       *jsontext.Sum                                    // nil without validation
	open      bool                                             // a block was begun and is not finished
	pages     byte                                             // something of each page of the block
}

// Finish gives the worker back.
func (w *worker) Finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle = append(w.idle, w)
}

// Search minifies a block and writes what stays.
//
// The pages of a mapping are touched first, so that it loses bytes that cannot be read before
// anything was handed on. Should it lose some in the microseconds after that, the scan ends:
// the bytes are reported as unread anyway, and the text is not complete.
func (w *worker) Search(b engine.Block, _ func(scan.Hit) bool) {
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

// work takes a block from the state before it to the output. It returns nil, too, when the
// scan was stopped meanwhile.
func (w *worker) work(src []byte, off, end int64) error {
	at, behind, ok := w.place(src, off, end)
	if !ok {
		return nil
	}
	n, several, last := w.minify(src, at)
	if behind == nil {
		next := at.behind(src, last)
		w.states.Put(end, next)
	} else if behind.State != last {
		return fmt.Errorf("%s changed near %d while it was read: try again", w.file.Name, off)
	}
	if ok, err := w.validate(off, end); !ok {
		return err
	}
	to, ok := w.turns.Take(off, w.stop)
	if !ok {
		return nil
	}
	next := outPlace{to.off + int64(n), to.several || several}
	w.ends.Store(next.off)
	if w.out.Anywhere() {
		w.turns.Put(end, next)
		return w.write(w.buf[:n], to.off)
	}
	err := w.write(w.buf[:n], to.off)
	if err == nil { // otherwise nothing is written behind what is missing
		w.turns.Put(end, next)
	}
	return err
}

// place takes the place where a block begins. Where other workers would wait for what is behind the
// block, it sums the block up, hands that place on at once, and returns it. To validate takes several
// times as long as a summary; to minify alone does not, and if the place is there already, the one
// behind is handed on when the block is minified.
func (w *worker) place(src []byte, off, end int64) (at place, behind *place, ok bool) {
	if !w.Validate || w.workers.Load() == 1 {
		if at, ok = w.states.Try(off); ok {
			return at, nil, true
		}
	}
	sum := w.form.Func.Summarize(src)
	if at, ok = w.states.Take(off, w.stop); !ok {
		return at, nil, false
	}
	state, _ := sum.From(at.State)
	next := at.behind(src, state)
	w.states.Put(end, next)
	return at, &next, true
}

// minify puts what stays of a block into the buffer, and sums the block up for the validator. It
// returns how much stays, whether a value directly follows another, and the state behind.
func (w *worker) minify(src []byte, at place) (n int, several bool, end minify.State) {
	if w.Validate {
		w.sum.Begin(src)
	}
	dst := w.buffer(len(src))
	state, marks := jsonscan.State(at.State), at.bounds()
	before := 0 // the first value of the text begins behind these bytes
	if !at.begun {
		before = lead(src)
	}
	tile := tileBytes.Get()
	for from := 0; from < len(src); from += tile {
		p := src[from:min(from+tile, len(src))]
		blocks, behind, found := w.describer.Describe(p, state)
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
		if len(p)%jsonscan.BlockBytes != 0 { // spaces were added
			last := blocks[len(blocks)-1]
			rest := len(p) % jsonscan.BlockBytes
			behind.Escaped = p[len(p)-1] == '\\' && last.Escaped>>(rest-1)&1 == 0
		}
		state = behind
	}
	return n, several, minify.State(state)
}

// keep writes what stays of a tile, and a line feed before each value that begins directly behind
// another: that of the text, if it stands there.
func (w *worker) keep(dst, p []byte, blocks int) (n int) {
	const blockBytes = jsonscan.BlockBytes
	done := 0 // blocks
	for i := range blocks {
		if w.begins[i] == 0 {
			continue
		}
		var cuts uint64 // where no line feed stands
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

// compress writes what stays of some blocks of a tile.
func (w *worker) compress(dst, p []byte, from, to int) (n int) {
	const blockBytes = jsonscan.BlockBytes
	if from == to {
		return 0
	}
	whole := min(to, len(p)/blockBytes)
	if from < whole {
		n = w.form.Func.Compress(dst, p[from*blockBytes:whole*blockBytes], w.keeps[from:whole])
	}
	if whole < to { // the spaces behind the last block of a text are no part of it
		rest := copy(w.last[:], p[whole*blockBytes:])
		w.keeps[whole] &= 1<<rest - 1
		n += w.form.Func.Compress(dst[n:], w.last[:], w.keeps[whole:to])
	}
	return n
}

// buffer returns the buffer, with room for what stays of n bytes and the line feeds between values,
// and for what the kernel writes behind that.
func (w *worker) buffer(n int) []byte {
	if need := outBytes(n); len(w.buf) < need {
		w.buf = make([]byte, max(need, outBytes(w.block)))
	}
	return w.buf
}

// outBytes is the most that the output of n bytes may take, and what the kernel writes behind that. The
// most line feeds are added to 0[]0[], two for three bytes: a value of one byte is a number, and
// no number directly follows another without white space, whose place the line feed takes.
func outBytes(n int) int { return n + 2*(n/3+1) + 2*jsonscan.BlockBytes }

// validate joins the block's sum to the blocks before when it is its turn. It returns false when the
// scan was stopped, and an error where the text is not JSON; what is before the block is
// then in the output.
func (w *worker) validate(off, end int64) (ok bool, err error) {
	if !w.Validate {
		return true, nil
	}
	v, ok := w.valid.Take(off, w.stop)
	if !ok {
		return false, nil
	}
	if err := v.Join(w.sum); err != nil {
		w.turns.Take(off, w.stop)
		return false, w.invalid(err)
	}
	w.valid.Put(end, v)
	return true, nil
}

// Miss ends the scan: what is behind bytes that cannot be read has no meaning without them.
// What is before them is in the output by then.
func (w *worker) Miss(u engine.UnreadError) {
	if !w.open {
		w.turns.Take(u.Off, w.stop)
	}
	w.stop.Store(true)
}
