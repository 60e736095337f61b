// Package pread reads files with pread(2) into one buffer per worker. It works on every system,
// file system and block device, and is the reference for the other engines.
//
// It reads a piece in blocks that fit the core's first or second cache, so that the search finds
// the bytes that the kernel has copied in a cache and not in memory.
package pread

import (
	"cmp"
	"fmt"
	"io"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// blockBytes is the size of one read. On two cores of a Zen 4, with a second-level cache of
// 1 MiB and large folios in the page cache, blocks of 1 MiB moved 1.3 times as many bytes per
// second of processor time as blocks of 256 KiB, and blocks of 2 MiB hardly more. With small
// folios it was 1.15 times. See BenchmarkBlocks.
var blockBytes = threshold.New("pread: block", 1<<20, 16)

const (
	// Modulo a page, the address of a byte in the buffer differs by this much from its address
	// in the page cache; see place. On Zen 4 this made no difference beyond the noise of 2 %.
	// On Zen 3 others report a factor of two in system time.
	skewBytes = 512

	pageBytes = 4 << 10 // the modulus of the skew, not necessarily the system's page size
)

type preadEngine struct {
	file       *source.File
	blockBytes int
	aheadBytes int
}

// Open returns the engine for a regular file or a block device. For a stream it returns a
// RefusedError. The file must stay open until the engine is closed.
func Open(f *source.File, c engine.Config) (engine.Engine, error) {
	if f.Kind == source.Stream {
		return nil, &failure.EngineError{Engine: "pread", Name: f.Name,
			Reason: "a stream has no offsets to read at; use the stream engine"}
	}
	return open(f, c, cmp.Or(c.BlockBytes, blockBytes.Get())), nil
}

// open returns the engine with reads of blockBytes or more. The context of each block is copied to
// the front of the next one. If the context is long, blocks are longer too, so that the copy stays
// a small part of the work.
func open(f *source.File, c engine.Config, blockBytes int) engine.Engine {
	return &preadEngine{f, max(blockBytes, 4*c.AheadBytes), c.AheadBytes}
}

func (e *preadEngine) Name() string { return "pread" }

func (e *preadEngine) Close() error { return nil }

func (e *preadEngine) Reader() (engine.Reader, error) {
	// A small file gets a small buffer: the kernel would clear a huge page for nothing.
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
	return next.Each(func(p engine.Piece) (bool, error) { return r.piece(p, visit) })
}

func (r *reader) Close() error {
	err := anon.Unmap(r.memory)
	r.memory = nil
	return err
}

// piece visits a piece block by block.
func (r *reader) piece(p engine.Piece, visit engine.Visit) (goOn bool, err error) {
	var kept []byte // the context of the previous block: the first bytes of the next one
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

// unread returns the error for the part of a gap at pos that lies in the piece. If the file ended,
// that is the rest of the piece.
func unread(f *source.File, p engine.Piece, pos int64, missing gap) *failure.UnreadError {
	e := &failure.UnreadError{Name: f.Name, Off: pos, Len: p.End() - pos, Err: missing.Err}
	switch {
	case missing.Err == nil: // the piece reaches over the size the file had when it was opened
		e.Err = failure.ErrEnded
	case missing.Len > 0:
		e.Len = min(e.Len, missing.Len)
	}
	return e
}

// place returns the part of the buffer for the n bytes at off.
//
// On several AMD generations copies are slow if source and destination are close to each other
// modulo 4 KiB, for example if both are page aligned. The skew keeps them apart at every offset.
func (r *reader) place(off int64, n int) []byte {
	at := skewBytes + int(off%pageBytes)
	return r.memory[at : at+n : at+n]
}

const stepBytesMin = 4 << 10 // the smallest read, and the unit of unreadable ranges

// stepBytesMax is the largest single read. Linux reads at most 0x7ffff000 bytes at a time.
var stepBytesMax = threshold.NewMultiple("pread: longest read", 1<<30, stepBytesMin, stepBytesMin)

// filler reads ranges of a file and skips the parts that cannot be read.
//
// It works like tools that copy failing disks. When a read fails, it halves the read size, down to
// one page, and gives that page up. When a read succeeds, it doubles the size. So a bad stretch of
// a disk costs one failed read per page, instead of a new series of halvings for each page.
//
// A filler is used by one goroutine at a time.
type filler struct {
	file *source.File
	step int64
	most int64
}

// newFiller returns a filler for a regular file or a block device.
func newFiller(f *source.File) *filler {
	most := int64(stepBytesMax.Get())
	return &filler{f, most, most}
}

// gap is a range that cannot be read. Its Len is 0 if the file ended.
type gap struct {
	Len int64
	Err error // nil if there is no gap
}

// fill reads len(p) bytes at off. If n < len(p), missing describes the gap at off+n. The error is
// for failures that concern no range, such as a descriptor that is not open for reading.
func (r *filler) fill(p []byte, off int64) (n int, missing gap, err error) {
	for n < len(p) {
		at := off + int64(n)
		want := min(int64(len(p)-n), r.step-at%r.step)
		got, err := readAt(r.file, p[n:n+int(want)], at)
		n += got
		switch {
		case got > 0:
			r.step = min(r.step*2, r.most)
		case err == nil || err == io.EOF:
			return n, gap{Err: failure.ErrEnded}, nil
		case engine.ConcernsAll(err):
			return n, gap{}, fmt.Errorf("read %s at %d: %w", r.file.Name, at, err)
		case r.step == stepBytesMin:
			return n, gap{Len: stepBytesMin - at%stepBytesMin, Err: err}, nil
		default:
			r.step = max(min(r.step, ceilPow2(want))/2, stepBytesMin)
		}
	}
	return n, gap{}, nil
}

func ceilPow2(n int64) int64 {
	p := int64(stepBytesMin)
	for p < n {
		p *= 2
	}
	return p
}
