package minify

import (
	"fmt"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/kernel/minify"
	"github.com/thresh-dev/thresh/internal/scan"
)

// worker minifies blocks into its buffer, and writes that.
type worker struct {
	*Run
	stop  *atomic.Bool
	buf   []byte
	words wordList // of NDJSON
	open  bool     // a block was begun and is not finished
	pages byte     // something of each page of the block
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
	at, known := w.states.Try(off)
	var behind minify.State
	var ok bool
	if !known {
		sum := w.form.Func.Summarize(src)
		if at, ok = w.states.Take(off, w.stop); !ok {
			return nil
		}
		behind, _ = sum.From(at)
		w.states.Put(end, behind)
	}
	if ok, err := w.validate(src, off, end); !ok {
		return err
	}
	n, was := 0, behind
	if !w.NDJSON {
		n, behind = w.form.Func.Minify(w.buffer(len(src)), src, at)
	} else if n, behind, ok = w.many(src, off, end, at); !ok {
		return nil
	}
	if known {
		w.states.Put(end, behind)
	} else if behind != was {
		return fmt.Errorf("%s changed near %d while it was read: try again", w.file.Name, off)
	}
	var to int64
	if to, ok = w.turns.Take(off, w.stop); !ok {
		return nil
	}
	next := to + int64(n)
	w.written.Store(next)
	if w.out.Anywhere() {
		w.turns.Put(end, next)
		return w.write(w.buf[:n], to)
	}
	err := w.write(w.buf[:n], to)
	if err == nil { // otherwise nobody writes behind what is missing
		w.turns.Put(end, next)
	}
	return err
}

// buffer returns the buffer, as long as is needed.
func (w *worker) buffer(n int) []byte {
	if len(w.buf) < n {
		w.buf = make([]byte, max(n, w.bufferBytes()))
	}
	return w.buf
}

// validate takes the block to the validator when it is its turn. It returns false when the
// scan was stopped, and an error where the text is not JSON; what is before the block is
// then in the output.
func (w *worker) validate(src []byte, off, end int64) (ok bool, err error) {
	if !w.Validate {
		return true, nil
	}
	v, ok := w.valid.Take(off, w.stop)
	if !ok {
		return false, nil
	}
	if err := v.Write(src); err != nil {
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
