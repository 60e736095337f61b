// Package direct reads files and block devices past the page cache, with O_DIRECT and ordinary
// system calls: what it visits came from the device, and the page cache stays as it was.
//
// It is for questions about the medium itself. It needs no io_uring, so it works in containers that
// forbid that, and it names unreadable ranges by sectors, where the other engines name pages. A worker
// has one read in flight; a device is kept busy by several workers.
package direct

import (
	"cmp"
	"fmt"
	"io"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// blockBytes is the size of one read, if the configuration does not say.
var blockBytes = threshold.NewMultiple("direct: block", 1<<20, 4096, 4096)

// device is what the engine reads. Offsets and lengths of reads are multiples of align, except that
// a read at the end returns fewer bytes.
type device struct {
	name  string
	bytes int64
	align int64
	read  func(p []byte, off int64) (int, error)
	close func() error
}

type directEngine struct {
	device
	block int64
	ahead int64
}

// newEngine returns the engine for a device. It owns the device.
func newEngine(d device, c engine.Config) *directEngine {
	e := &directEngine{device: d, ahead: int64(c.AheadBytes)}
	e.block = max(e.down(int64(cmp.Or(c.BlockBytes, blockBytes.Get()))), d.align)
	return e
}

func (e *directEngine) down(n int64) int64 { return n / e.align * e.align }
func (e *directEngine) up(n int64) int64   { return e.down(n + e.align - 1) }

func (e *directEngine) Name() string { return "direct" }
func (e *directEngine) Close() error { return e.device.close() }

// SectorBytes returns the unit in which unreadable ranges are named.
func (e *directEngine) SectorBytes() int64 { return e.align }

func (e *directEngine) Reader() (engine.Reader, error) {
	// Two alignments more, because neither the start of a block nor the end of its context need
	// be aligned.
	memory, err := anon.Map(int(e.up(e.block+e.ahead) + 2*e.align))
	if err != nil {
		return nil, err
	}
	return &reader{directEngine: e, memory: memory, step: e.block}, nil
}

type reader struct {
	*directEngine
	memory []byte
	step   int64 // of the next read: less than a block near what cannot be read
}

func (r *reader) Close() error {
	err := anon.Unmap(r.memory)
	r.memory = nil
	return err
}

func (r *reader) Run(next engine.Next, visit engine.Visit) error {
	return next.Each(func(p engine.Piece) (bool, error) { return r.piece(p, visit) })
}

// piece visits a piece block by block. Blocks end at aligned offsets, so that the next one begins
// aligned, and so does what follows a gap.
func (r *reader) piece(p engine.Piece, visit engine.Visit) (goOn bool, err error) {
	for pos := p.Off; pos < p.End(); {
		end := min(p.End(), r.down(pos+r.block))
		start := r.down(pos)
		need := max(min(end+r.ahead, r.bytes)-start, 0)
		got, missing, err := r.fill(r.memory[:r.up(need)], start, need)
		if err != nil {
			return false, err
		}
		if own := min(end, start+got) - pos; own > 0 {
			b := engine.Block{Off: pos, Data: r.memory[pos-start : min(got, need)], Len: int(own)}
			pos += own
			if !visit(p, b, pos == p.End()) {
				return false, nil
			}
		}
		if pos == end {
			continue
		}
		lost := &failure.UnreadError{Name: r.name, Off: pos, Len: p.End() - pos, Err: missing.err}
		if missing.err == nil { // the input ended
			lost.Err = failure.ErrEnded
		} else {
			lost.Len = min(p.End(), start+got+missing.bytes) - pos
		}
		pos += lost.Len
		if !visit(p, engine.Block{Off: lost.Off, Err: lost}, pos == p.End()) {
			return false, nil
		}
	}
	return true, nil
}

// gap is a range that cannot be read. Its err is nil if the input ended.
type gap struct {
	bytes int64
	err   error
}

// fill reads need bytes at off, which is aligned, into p, which is as long or longer and whole
// sectors. If n < need, missing says why. When a read fails, fill halves the size of the next one,
// down to one sector, and gives that sector up. When a read succeeds, it doubles the size.
func (r *reader) fill(p []byte, off, need int64) (n int64, missing gap, err error) {
	for n < need {
		at := off + n
		want := min(int64(len(p))-n, r.step)
		got, err := r.read(p[n:n+want], at)
		n += int64(got)
		switch {
		case got > 0 && int64(got)%r.align != 0: // only the end of an input is not a whole sector
			return n, gap{}, nil
		case got > 0:
			r.step = min(r.step*2, r.block)
		case err == nil || err == io.EOF:
			return n, gap{}, nil
		case engine.ConcernsAll(err):
			return n, gap{}, fmt.Errorf("read %s at %d: %w", r.name, at, err)
		case want == r.align:
			r.step = r.align
			return n, gap{r.align, err}, nil
		default:
			r.step = max(r.down(want/2), r.align)
		}
	}
	return n, gap{}, nil
}
