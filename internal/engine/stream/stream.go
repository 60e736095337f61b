// Package stream reads inputs that can only be read once, in order: pipes, sockets, terminals,
// endless devices, and the output of a decompressor.
//
// The readers share the source under a lock. The reader that holds the lock pulls the next piece
// and fills its own buffer. It releases the lock before it visits the bytes, so the next reader
// reads meanwhile. The context behind a block is copied to the start of the next one.
//
// With a slow source, bytes are visited soon after they arrive: the reader waits no longer than idleFor for more, and
// visits what it has as a block that ends before its piece does. It keeps the lock until it has visited the rest of
// the piece, so pieces stay whole and in order. A source that slow does not need a second reader.
package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/input/source"
)

const (
	// idleFor is how long bytes wait for more before a short block is visited.
	idleFor = time.Millisecond
	// stopEvery is how often a reader that waits for bytes calls Config.Stop.
	stopEvery = 40 * time.Millisecond
)

// input is the source of the bytes.
type input interface {
	// read returns bytes that have arrived, at most len(p). Idle reports that it had to wait; n
	// may then be 0. If the system allows it, read waits no longer than the given time.
	read(p []byte, wait time.Duration) (n int, idle bool, err error)
}

type streamEngine struct {
	name  string
	stop  func() bool
	piece int
	ahead int
	lines bool
	in    input
	from  io.Closer // closed with the engine; nil if the caller closes the input

	mu    sync.Mutex // held by the reader whose turn it is
	pos   int64      // offset of the first byte not yet assigned to a block
	carry []byte     // bytes from pos on that were already read, as context
	ended bool
	waits time.Duration // time spent waiting for bytes
	err   error         // why the input ended; nil again once it has been reported
}

// Open returns the engine for any input. A pipe or a character device is read until it ends, a
// regular file or a block device from its first byte to the size it had when it was opened. Pieces
// must be handed out in ascending order; bytes before and between them are read and dropped. The
// file must stay open until the engine is closed.
func Open(f *source.File, c engine.Config) (engine.Engine, error) {
	if f.Kind != source.Stream {
		return OpenReader(f.Name, &sizedReader{file: f}, c)
	}
	return open(f.Name, newInput(f), c)
}

// waiter is a reader that waits no longer than it is told to. Idle reports that it waited.
type waiter interface {
	ReadWithin(p []byte, wait time.Duration) (n int, idle bool, err error)
}

// waitingInput reads from a waiter, so that a wait ends when the scan does.
type waitingInput struct{ waiter }

func (in waitingInput) read(p []byte, wait time.Duration) (n int, idle bool, err error) {
	return in.ReadWithin(p, wait)
}

// readerInput returns the input that reads from r.
func readerInput(r io.Reader) input {
	if w, ok := r.(waiter); ok {
		return waitingInput{w}
	}
	return &plainInput{r: r}
}

// OpenReader returns the engine for the bytes of r. Name is its name in errors. The engine does not
// interrupt a read of r that waits. For a decompressor on a stream, NewReader returns a reader that
// stops waiting when the scan is over. If r has a Close method, the engine's Close calls it.
func OpenReader(name string, r io.Reader, c engine.Config) (engine.Engine, error) {
	return openReader(name, r, &plainInput{r: r}, c)
}

// OpenArriving is OpenReader for content that arrives while it is written. A read that returns less
// than it could may have taken all there is, so a block is visited before the next read.
func OpenArriving(name string, r io.Reader, c engine.Config) (engine.Engine, error) {
	return openReader(name, r, &plainInput{r: r, arriving: true}, c)
}

func openReader(name string, r io.Reader, in input, c engine.Config) (engine.Engine, error) {
	e, err := open(name, in, c)
	if err != nil {
		return nil, err
	}
	e.from, _ = r.(io.Closer)
	return e, nil
}

// OpenBehind returns the engine for a stream whose first bytes, lead, were already read. If a read
// error followed them, err is that error and ends the input; it is nil if the stream goes on.
func OpenBehind(lead []byte, err error, f *source.File, c engine.Config) (engine.Engine, error) {
	return open(f.Name, &ledInput{lead, err, newInput(f)}, c)
}

// ledInput returns the bytes that were already read, and then those of its input.
type ledInput struct {
	lead []byte
	err  error
	input
}

func (in *ledInput) read(p []byte, wait time.Duration) (n int, idle bool, err error) {
	switch {
	case len(in.lead) > 0:
	case in.err != nil:
		return 0, false, in.err
	default:
		return in.input.read(p, wait)
	}
	n = copy(p, in.lead)
	in.lead = in.lead[n:]
	return n, false, nil
}

func open(name string, in input, c engine.Config) (*streamEngine, error) {
	if c.PieceBytes <= 0 {
		return nil, fmt.Errorf("stream %s: pieces of %d bytes", name, c.PieceBytes)
	}
	e := &streamEngine{name: name, stop: c.Stop, piece: c.PieceBytes, ahead: c.AheadBytes, lines: c.Lines, in: in}
	if e.stop == nil {
		e.stop = func() bool { return false }
	}
	return e, nil
}

func (e *streamEngine) Name() string { return "stream" }

func (e *streamEngine) Close() error {
	if e.from == nil {
		return nil
	}
	return e.from.Close()
}

// Waited returns the time that the readers, one at a time, spent in reads. With a slow source,
// nearly all of it is waiting.
func (e *streamEngine) Waited() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.waits
}

func (e *streamEngine) Reader() (engine.Reader, error) {
	memory, err := anon.Map(e.piece + e.ahead)
	if err != nil {
		return nil, err
	}
	return &reader{e, memory}, nil
}

// gather fills buf from n on and returns the number of bytes in buf. It returns early if the input
// is idle and there are enough bytes for a block, or if the input or the scan ends.
func (e *streamEngine) gather(buf []byte, n int) int {
	var since time.Time // there have been enough
	for n < len(buf) && !e.ended && !e.stop() {
		wait := stopEvery
		began := time.Now()
		if e.enough(buf[:n]) {
			if since.IsZero() {
				since = began
			}
			wait = max(idleFor-began.Sub(since), 0)
		}
		got, idle, err := e.in.read(buf[n:], wait)
		e.waits += time.Since(began)
		n += got
		if err != nil {
			e.ended = true
			if err != io.EOF && !errors.Is(err, ErrStopped) {
				e.err = err
			}
		}
		if idle && e.enough(buf[:n]) {
			break
		}
	}
	return n
}

// enough reports whether the bytes that have arrived make a block, if nothing more arrives.
func (e *streamEngine) enough(arrived []byte) bool {
	return len(arrived) > e.ahead || e.lines && bytes.LastIndexByte(arrived, '\n') > 0
}

// skip drops the bytes before off. It uses buf to read them.
func (e *streamEngine) skip(off int64, buf []byte) error {
	if off < e.pos {
		return fmt.Errorf("stream %s: piece at %d, but %d has been read already",
			e.name, off, e.pos)
	}
	known := min(off-e.pos, int64(len(e.carry)))
	e.carry = append(e.carry[:0], e.carry[known:]...)
	e.pos += known
	for e.pos < off && !e.ended && !e.stop() {
		got, _, err := e.in.read(buf[:min(off-e.pos, int64(len(buf)))], stopEvery)
		e.pos += int64(got)
		if err != nil {
			e.ended = true
			if err != io.EOF && !errors.Is(err, ErrStopped) {
				e.err = err
			}
		}
	}
	return nil
}

// ErrStopped is the error of a reader from NewReader when the scan is over.
var ErrStopped = errors.New("the scan is over")

// sizedReader reads a file up to the size it had when it was opened. It ignores the position of the
// descriptor. Its errors contain the missing range.
type sizedReader struct {
	file *source.File
	off  int64
}

func (r *sizedReader) Read(p []byte) (int, error) {
	left := r.file.Bytes - r.off
	if left == 0 {
		return 0, io.EOF
	}
	n, err := r.file.ReadAt(p[:min(left, int64(len(p)))], r.off)
	r.off += int64(n)
	switch missing := r.file.Bytes - r.off; {
	case err == nil || err == io.EOF && missing == 0:
		return n, err
	case err == io.EOF:
		err = failure.ErrEnded
		fallthrough
	default:
		return n, &failure.UnreadError{Name: r.file.Name, Off: r.off, Len: missing, Err: err}
	}
}

// plainInput reads from an io.Reader. That cannot report whether bytes are available, so plainInput
// counts as idle if it should not have waited, if a read took long, or if it was short and the next one may wait.
type plainInput struct {
	r        io.Reader
	arriving bool
	empty    int // reads in a row that returned nothing
}

// emptyReadsMax is how often in a row a reader may return neither a byte nor an error.
const emptyReadsMax = 100

func (in *plainInput) read(p []byte, wait time.Duration) (n int, idle bool, err error) {
	began := time.Now()
	n, err = in.r.Read(p)
	if in.empty++; n > 0 {
		in.empty = 0
	} else if err == nil && in.empty == emptyReadsMax {
		err = io.ErrNoProgress
	}
	return n, wait == 0 || in.arriving && n < len(p) || time.Since(began) >= idleFor, err
}
