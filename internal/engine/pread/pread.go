// Package pread reads files by pread(2) into a buffer for each worker. It works on every
// system, file system and block device, and defines what the other engines have to do.
//
// A piece is read in blocks that stay in the core's own cache or the next one, so that the
// kernel's copy is looked at there and not in memory.
package pread

import (
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// blockBytes is the size of one read. On two cores of a Zen 4 with a second-level cache
// of 1 MiB, and large folios in the page cache, a second of processor time took 1.3
// times as much through blocks of 1 MiB as through 256 KiB, and little more through
// 2 MiB; with small folios 1.15 times. See BenchmarkBlocks.
var blockBytes = threshold.New("pread: block", 1<<20, 16)

const (
	// A destination differs from its place in the page cache by this much, modulo a page.
	// On Zen 4 that made no difference beyond the noise of 2 %; on Zen 3 others report a
	// factor of two in system time.
	skewBytes = 512

	pageBytes = 4 << 10 // the grain of the skew, not necessarily the system's page
)

type preadEngine struct {
	file       *source.File
	blockBytes int
	aheadBytes int
}

// Open returns the engine for a regular file or a block device, and a RefusedError for a
// stream. The file must stay open until the engine is closed.
func Open(f *source.File, c engine.Config) (engine.Engine, error) {
	if f.Kind == source.Stream {
		return nil, &engine.RefusedError{Engine: "pread", Name: f.Name,
			Reason: "a stream has no offsets to read at; use the stream engine"}
	}
	return open(f, c, blockBytes.Get()), nil
}

// open returns the engine with reads of that size. Each block moves its context to the
// front of the next; long context wants long blocks, so that this stays a small part of
// the work.
func open(f *source.File, c engine.Config, blockBytes int) engine.Engine {
	return &preadEngine{f, max(blockBytes, 4*c.AheadBytes), c.AheadBytes}
}

func (e *preadEngine) Name() string { return "pread" }

func (e *preadEngine) Close() error { return nil }

func (e *preadEngine) Reader() (engine.Reader, error) {
	// A small file needs no more than itself, and no huge page that is cleared for nothing.
	data := min(int64(e.blockBytes+e.aheadBytes), e.file.Bytes)
	memory, err := anon.Map(int(data) + skewBytes + pageBytes)
	if err != nil {
		return nil, err
	}
	return &reader{preadEngine: e, memory: memory, filler: newFiller(e.file)}, nil
}

type reader struct {
	*preadEngine
	memory []byte
	filler *filler
}

func (r *reader) Run(next engine.Next, visit engine.Visit) error {
	for {
		p, ok := next()
		if !ok {
			return nil
		}
		if goOn, err := r.piece(p, visit); err != nil || !goOn {
			return err
		}
	}
}

func (r *reader) Close() error {
	err := anon.Unmap(r.memory)
	r.memory = nil
	return err
}

// piece visits a piece block by block.
func (r *reader) piece(p engine.Piece, visit engine.Visit) (goOn bool, err error) {
	var kept []byte // the context of the block before: the first bytes of the next one
	for pos := p.Off; pos < p.End(); {
		own := min(int64(r.blockBytes), p.End()-pos)
		want := min(own+int64(r.aheadBytes), max(r.file.Bytes-pos, 0))
		data := r.place(pos, int(want))
		copied := copy(data, kept)
		n, missing, err := r.filler.fill(data[copied:], pos+int64(copied))
		if err != nil {
			return false, err
		}
		data = data[:copied+n]
		b := engine.Block{Off: pos, Data: data, Len: int(min(own, int64(len(data))))}
		pos += int64(b.Len)
		if b.Len > 0 && !visit(p, b, pos == p.End()) {
			return false, nil
		}
		kept = data[b.Len:]
		if int64(b.Len) == own {
			continue
		}
		lost := unread(r.file, p, pos, missing)
		pos, kept = pos+lost.Len, nil
		if !visit(p, engine.Block{Off: lost.Off, Err: lost}, pos == p.End()) {
			return false, nil
		}
	}
	return true, nil
}

// unread returns the error for the gap at pos, as far as it lies in the piece. Behind the
// end of the file that is the rest of the piece.
func unread(f *source.File, p engine.Piece, pos int64, missing gap) *engine.UnreadError {
	e := &engine.UnreadError{Name: f.Name, Off: pos, Len: p.End() - pos, Err: missing.Err}
	switch {
	case missing.Err == nil: // the piece reaches over the size that the file was opened with
		e.Err = engine.ErrEnded
	case missing.Len > 0:
		e.Len = min(e.Len, missing.Len)
	}
	return e
}

// place returns where the n bytes at off go.
//
// Copies on several AMD generations are slow when source and destination lie close to
// each other modulo 4 KiB, as they do whenever both are page aligned. The skew keeps them
// apart whatever the offset.
func (r *reader) place(off int64, n int) []byte {
	at := skewBytes + int(off%pageBytes)
	return r.memory[at : at+n : at+n]
}
