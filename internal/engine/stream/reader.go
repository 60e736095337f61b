package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/anon"
)

type reader struct {
	*streamEngine
	memory []byte
}

func (r *reader) Run(next engine.Next, visit engine.Visit) error {
	for {
		if goOn, err := r.turn(next, visit); err != nil || !goOn {
			return err
		}
	}
}

func (r *reader) Close() error {
	err := anon.Unmap(r.memory)
	r.memory = nil
	return err
}

// turn pulls and visits one piece. It holds the lock until it has read the last block.
func (r *reader) turn(next engine.Next, visit engine.Visit) (goOn bool, err error) {
	r.mu.Lock()
	locked := true
	defer func() {
		if locked {
			r.mu.Unlock()
		}
	}()
	if r.ended && len(r.carry) == 0 && r.err == nil || r.stop() {
		return false, nil
	}
	p, ok := next()
	if !ok {
		return false, nil
	}
	if err := r.skip(p.Off, r.memory); err != nil {
		return false, err
	}
	for pos := p.Off; ; {
		b := r.block(pos, p)
		pos += int64(b.Len)
		switch {
		case r.stop():
			return false, nil
		case pos == p.End():
			locked = false
			r.mu.Unlock()
			return visit(p, b, true), nil
		case r.ended && len(r.carry) == 0:
			return r.breakOff(p, b, visit), nil
		case !visit(p, b, false):
			return false, nil
		}
	}
}

// block reads the next block of a piece and saves its context for the block after it.
func (r *reader) block(pos int64, p engine.Piece) engine.Block {
	if r.pos < pos {
		return engine.Block{Off: pos} // the input ended before the piece began
	}
	own := int(min(p.End()-pos, int64(r.piece)))
	n := copy(r.memory, r.carry)
	n = r.gather(r.memory[:own+r.ahead], n)
	if !r.ended && n < own+r.ahead {
		own = min(own, r.cut(r.memory[:n]))
	}
	own = min(own, n)
	r.pos += int64(own)
	r.carry = append(r.carry[:0], r.memory[own:n]...)
	brokeOff := r.err != nil && len(r.carry) == 0
	return engine.Block{Off: pos, Data: r.memory[:n:n], Len: own, BrokeOff: brokeOff}
}

// cut returns how many of the bytes that have arrived make a block that is visited before it is
// full: the bytes that have their full context, or those of whole lines. The line feed of the last
// line is context, and becomes the first byte of the next block.
func (r *reader) cut(arrived []byte) int {
	if r.lines {
		if feed := bytes.LastIndexByte(arrived, '\n'); feed > 0 {
			return feed
		}
	}
	return max(len(arrived)-r.ahead, 0)
}

// breakOff visits the last block of an input and then the error that ended the input, if any.
func (r *reader) breakOff(p engine.Piece, b engine.Block, visit engine.Visit) bool {
	if r.err == nil {
		return visit(p, b, true)
	}
	unread := &failure.UnreadError{Name: r.name, Off: b.Off + int64(b.Len), Err: r.err}
	if rest := (*failure.UnreadError)(nil); errors.As(r.err, &rest) { // from sizedReader, which knows the size of its file
		unread.Len, unread.Err = rest.Off+rest.Len-unread.Off, rest.Err
	}
	r.err = nil
	if b.Len > 0 && !visit(p, b, false) {
		return false
	}
	return visit(p, engine.Block{Off: unread.Off, Err: unread}, true)
}

// View gives access to a stream around the current block: bytes that were read recently, and bytes
// that have yet to arrive. Only the goroutine of the engine's only reader may use it, while it
// visits a block.
type View struct {
	name string
	in   input
	stop func() bool
	keep int
	held []byte // bytes read so far, from base on
	base int64
	next int64 // offset of the first byte that the engine has not received
	err  error // the error that ended the stream
}

// Keep makes an engine keep what it reads: the bytes of a block and the given number of bytes
// around it. The engine must come from Open, OpenBehind or OpenReader and have one reader.
func Keep(e engine.Engine, around int) *View {
	s := e.(*streamEngine)
	v := &View{name: s.name, in: s.in, stop: s.stop, keep: around + s.piece + s.ahead}
	s.in = v
	return v
}

// read returns bytes that were read ahead, and after those, bytes from the input.
func (v *View) read(p []byte, wait time.Duration) (n int, idle bool, err error) {
	if v.next == v.end() && v.err == nil {
		idle = v.more(len(p), wait)
	}
	n = copy(p, v.held[v.next-v.base:])
	v.next += int64(n)
	if n == 0 {
		err = v.err
	}
	return n, idle, err
}

func (v *View) end() int64 { return v.base + int64(len(v.held)) }

// more reads up to n bytes and drops bytes that need not be kept.
func (v *View) more(n int, wait time.Duration) (idle bool) {
	if drop := int(v.next-v.base) - v.keep; drop > v.keep {
		v.held = append(v.held[:0], v.held[drop:]...)
		v.base += int64(drop)
	}
	before := len(v.held)
	if cap(v.held)-before < n {
		v.held = append(make([]byte, 0, max(2*cap(v.held), before+n)), v.held...)
	}
	got, idle, err := v.in.read(v.held[before:before+n], wait)
	v.held = v.held[:before+got]
	if !errors.Is(err, ErrStopped) {
		v.err = err
	}
	return idle
}

// ReadAt reads a range that is still held or has yet to arrive. It waits for bytes to arrive.
func (v *View) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) && err == nil {
		var got int
		got, err = v.ReadSome(b[n:], off+int64(n))
		n += got
	}
	return n, err
}

// ReadSome is like ReadAt, but returns as many bytes as are available and waits only for the first.
func (v *View) ReadSome(b []byte, off int64) (int, error) {
	if off < v.base {
		return 0, fmt.Errorf("read %s at %d: the stream has gone on to %d", v.name, off, v.next)
	}
	for v.end() <= off {
		switch {
		case v.err != nil: // the scan gets the error from read, and reports it
			return 0, io.EOF
		case v.stop():
			return 0, ErrStopped
		}
		v.more(max(len(b), int(off-v.end())+1), stopEvery)
	}
	return copy(b, v.held[off-v.base:]), nil
}
