package stream

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/thresh-dev/thresh/internal/engine"
)

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
// around it. The engine must come from Open, OpenBehind or OpenReader and have one reader. Reads of the
// view end when stop returns true. That is not the engine's Stop: the scan is over when the last hit
// is emitted, and what is around that hit may have yet to arrive.
func Keep(e engine.Engine, around int, stop func() bool) *View {
	s := e.(*streamEngine)
	v := &View{name: s.name, in: s.in, stop: stop, keep: around + s.piece + s.ahead}
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
