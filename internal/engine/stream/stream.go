// Package stream reads inputs that have an order and no offsets: pipes, sockets,
// terminals, endless devices, and what a decompressor gives out.
//
// The readers share the source under a lock. Whoever holds it pulls the next piece and
// fills its own buffer, and looks at the bytes after it has let go, while the next one
// reads. The context behind a block is carried over to be the start of the next.
//
// A slow source is not waited for: when nothing has arrived for a moment, what is there
// is visited as a block that ends before its piece does. The reader keeps the lock until
// the rest of the piece has been visited as well, so the pieces stay whole and in order;
// a source that slow needs no second pair of eyes.
package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/input/source"
)

const (
	// idleFor is how long nothing arrives before a short block is visited.
	idleFor = 10 * time.Millisecond
	// stopEvery is how often a reader that waits for bytes looks at Config.Stop.
	stopEvery = 40 * time.Millisecond
)

// input is what bytes are taken from.
type input interface {
	// read returns what has arrived, at most len(p) bytes. Idle tells that it had to wait,
	// and n may then be 0; it waits no longer than the given time if it can help it.
	read(p []byte, wait time.Duration) (n int, idle bool, err error)
}

type streamEngine struct {
	name  string
	stop  func() bool
	piece int
	ahead int
	lines bool
	in    input
	from  io.Closer // closed with the engine; nil where the caller closes the input

	mu    sync.Mutex // held by the reader whose turn it is
	pos   int64      // offset of the first byte that belongs to nobody yet
	carry []byte     // the bytes from there on that have been read already, as context
	ended bool
	waits time.Duration // for bytes to arrive
	err   error         // why the input ended, until it has been reported
}

// Open returns the engine for any input: a pipe or a device is read as it comes, a regular
// file or a block device from its first byte to the size it was opened with. Pieces must
// be handed out in ascending order; bytes before and between them are read and dropped.
// The file must stay open until the engine is closed.
func Open(f *source.File, c engine.Config) (engine.Engine, error) {
	if f.Kind != source.Stream {
		return OpenReader(f.Name, &sizedReader{file: f}, c)
	}
	return open(f.Name, newInput(f), c)
}

// OpenReader returns the engine for what r gives out, which is called name in errors. A
// read of r that waits is not interrupted; NewReader returns a reader that does not wait
// on once the scan is over, for a decompressor to read from. Where r has a Close method,
// the engine's Close calls it.
func OpenReader(name string, r io.Reader, c engine.Config) (engine.Engine, error) {
	e, err := open(name, &plainInput{r: r}, c)
	if err != nil {
		return nil, err
	}
	e.from, _ = r.(io.Closer)
	return e, nil
}

// OpenBehind returns the engine for a stream of which lead was read already: that comes first.
// A read error that ended the lead comes next; it is nil where the stream goes on.
func OpenBehind(lead []byte, err error, f *source.File, c engine.Config) (engine.Engine, error) {
	return open(f.Name, &ledInput{lead, err, newInput(f)}, c)
}

// ledInput gives what was read already, and then what its input does.
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

// Waited returns how long the readers, one at a time, were busy with getting bytes: nearly
// all of it waiting, when the source is slow.
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

// gather fills buf from n on. It returns early with enough for a block when the input
// is idle, and with any number when the input ends or the scan does.
func (e *streamEngine) gather(buf []byte, n int) int {
	for n < len(buf) && !e.ended && !e.stop() {
		wait := stopEvery
		if e.enough(buf[:n]) {
			wait = idleFor
		}
		began := time.Now()
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

// enough reports whether what has arrived makes a block, should nothing more come.
func (e *streamEngine) enough(arrived []byte) bool {
	return len(arrived) > e.ahead || e.lines && bytes.LastIndexByte(arrived, '\n') > 0
}

// skip drops the bytes before off, with buf to read them into.
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

// ErrStopped is returned by the readers of NewReader once the scan is over.
var ErrStopped = errors.New("the scan is over")

// sizedReader reads a file to the size it was opened with, whatever its position is. Its errors
// say how much is missing.
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
		err = engine.ErrEnded
		fallthrough
	default:
		return n, &engine.UnreadError{Name: r.file.Name, Off: r.off, Len: missing, Err: err}
	}
}

// plainInput reads from an io.Reader, which cannot be asked whether anything is there: it
// was idle if it took long.
type plainInput struct {
	r     io.Reader
	empty int // reads in a row that gave nothing
}

// emptyReadsMax is how often a reader may give neither a byte nor an error.
const emptyReadsMax = 100

func (in *plainInput) read(p []byte, _ time.Duration) (n int, idle bool, err error) {
	began := time.Now()
	n, err = in.r.Read(p)
	if in.empty++; n > 0 {
		in.empty = 0
	} else if err == nil && in.empty == emptyReadsMax {
		err = io.ErrNoProgress
	}
	return n, time.Since(began) >= idleFor, err
}
