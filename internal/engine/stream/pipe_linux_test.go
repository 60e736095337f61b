package stream_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/engine/stream"
	"github.com/thresh-dev/thresh/internal/input/source"
	"golang.org/x/sys/unix"
)

// pipe returns an input and the file that writes to it.
func pipe(t *testing.T) (*source.File, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	f, err := source.FromOS("pipe", r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		w.Close() // the test may have closed it already, to end the input
	})
	return f, w
}

func open(t *testing.T, f *source.File, c engine.Config) engine.Engine {
	t.Helper()
	e, err := stream.Open(f, c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEngineOnPipes(t *testing.T) {
	openPipe := func(f *source.File, c engine.Config) (engine.Engine, error) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		in, err := source.FromOS(f.Name, r)
		if err != nil {
			return nil, err
		}
		written := make(chan error, 1)
		go func() {
			_, err := io.Copy(w, f.OS())
			_, rewound := f.OS().Seek(0, io.SeekStart)
			if errors.Is(err, unix.EPIPE) {
				err = nil // the scan ended before the input did
			}
			written <- errors.Join(err, rewound, w.Close())
		}()
		e, err := stream.Open(in, c)
		return closing{e, func() error { return errors.Join(in.Close(), <-written) }}, err
	}
	enginetest.Run(t, openPipe, enginetest.Traits{Name: "stream", Stream: true})
}

// closing calls a function after an engine's Close.
type closing struct {
	engine.Engine
	more func() error
}

func (c closing) Close() error { return errors.Join(c.Engine.Close(), c.more()) }

// A slow writer's bytes are visited as they arrive, not when the piece is full: the writer sends
// the next part only after the previous one was visited.
func TestSlowWriterIsNotWaitedFor(t *testing.T) {
	for _, ahead := range []int{0, 5} {
		f, w := pipe(t)
		e := open(t, f, engine.Config{PieceBytes: 1000, AheadBytes: ahead})
		parts := [][]byte{[]byte("first part "), []byte("second"), []byte(" and the third")}
		var sent, got []byte
		send := func() {
			if len(parts) == 0 {
				w.Close()
				return
			}
			sent = append(sent, parts[0]...)
			if _, err := w.Write(parts[0]); err != nil {
				t.Error(err)
			}
			parts = parts[1:]
		}
		send()
		err := enginetest.Scan(e, enginetest.Pieces(0, 4000, 1000), 1, func() engine.Visit {
			return func(_ engine.Piece, b engine.Block, last bool) bool {
				got = append(got, b.Data[:b.Len]...)
				if !last && len(b.Data)-b.Len != ahead {
					t.Errorf("context of %d bytes, want %d", len(b.Data)-b.Len, ahead)
				}
				if len(got)+ahead == len(sent) {
					send()
				}
				return true
			}
		})
		if err != nil || string(got) != "first part second and the third" {
			t.Errorf("context %d: got %q, error %v", ahead, got, err)
		}
	}
}

// Several readers read a pipe with pauses: each byte is visited once, and pieces stay whole.
func TestStutteringWriter(t *testing.T) {
	f, w := pipe(t)
	content := enginetest.Content(300_000)
	go func() {
		defer w.Close()
		for rest := content; len(rest) > 0; {
			n := min(1+len(rest)%7001, len(rest))
			if _, err := w.Write(rest[:n]); err != nil {
				t.Error(err)
				return
			}
			rest = rest[n:]
		}
	}()
	e := open(t, f, engine.Config{PieceBytes: 4096, AheadBytes: 100})
	got := make([]byte, len(content))
	var visited atomic.Int64
	pieces := enginetest.Pieces(0, 400_000, 4096)
	err := enginetest.Scan(e, pieces, 4, func() engine.Visit {
		return func(_ engine.Piece, b engine.Block, _ bool) bool {
			visited.Add(int64(b.Len))
			copy(got[min(b.Off, int64(len(got))):], b.Data[:b.Len])
			return true
		}
	})
	if err != nil || visited.Load() != int64(len(content)) || !bytes.Equal(got, content) {
		t.Errorf("%d of %d bytes visited, or other ones; error %v", visited.Load(), len(content), err)
	}
}

// When the scan is over, a read ends that would wait forever because nothing is written.
func TestStopEndsAWait(t *testing.T) {
	f, w := pipe(t)
	if _, err := w.WriteString("seen"); err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	e := open(t, f, engine.Config{PieceBytes: 1000, Stop: stop.Load})
	err := enginetest.Scan(e, enginetest.Pieces(0, 4000, 1000), 3, func() engine.Visit {
		return func(_ engine.Piece, b engine.Block, _ bool) bool {
			stop.Store(true)
			return true
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// A scan of an endless input ends when the visitor returns false, or after its last piece.
func TestEndlessInput(t *testing.T) {
	f, err := source.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const length = 10_000_001
	e := open(t, f, engine.Config{PieceBytes: 1 << 20, AheadBytes: 8})
	var visited atomic.Int64
	err = enginetest.Scan(e, enginetest.Pieces(0, length, 1<<20), 2, func() engine.Visit {
		return func(_ engine.Piece, b engine.Block, _ bool) bool {
			visited.Add(int64(b.Len))
			return true
		}
	})
	if err != nil || visited.Load() != length {
		t.Errorf("%d bytes visited, want %d; error %v", visited.Load(), length, err)
	}
	e = open(t, f, engine.Config{PieceBytes: 1 << 20})
	off := int64(0)
	forever := func() (engine.Piece, bool) {
		off += 1 << 20
		return engine.Piece{Off: off, Len: 1 << 20}, true
	}
	r, err := e.Reader()
	if err != nil {
		t.Fatal(err)
	}
	err = r.Run(forever, func(p engine.Piece, _ engine.Block, _ bool) bool { return p.Off < 5<<20 })
	if err := errors.Join(err, r.Close(), e.Close()); err != nil {
		t.Error(err)
	}
}

// A FIFO can be opened before it has a writer. The scan then waits for the writer.
func TestFIFO(t *testing.T) {
	name := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := source.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content := enginetest.Content(3000)
	waited := make(chan struct{})
	var once atomic.Bool
	go func() {
		<-waited // wait until the reader waits
		if err := os.WriteFile(name, content, 0); err != nil {
			t.Error(err)
		}
	}()
	stop := func() bool {
		if once.CompareAndSwap(false, true) {
			close(waited)
		}
		return false
	}
	e := open(t, f, engine.Config{PieceBytes: 100, Stop: stop})
	if got, _ := scan(t, e, 0, 100); !bytes.Equal(got, content) {
		t.Errorf("%d bytes visited, want %d", len(got), len(content))
	}
}

// A decompressor that waits for a pipe stops waiting when the scan is over.
func TestDecompressorOnAPipe(t *testing.T) {
	content := bytes.Repeat([]byte("some text\n"), 100)
	f, w := pipe(t)
	z := gzip.NewWriter(w)
	if _, err := z.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := z.Flush(); err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	in, err := gzip.NewReader(stream.NewReader(f, stop.Load))
	if err != nil {
		t.Fatal(err)
	}
	e, err := stream.OpenReader("text.gz", in, engine.Config{PieceBytes: 100, Stop: stop.Load})
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	err = enginetest.Scan(e, enginetest.Pieces(0, 4000, 100), 1, func() engine.Visit {
		return func(_ engine.Piece, b engine.Block, _ bool) bool {
			if b.Err != nil {
				t.Errorf("unread: %v", b.Err)
			}
			got = append(got, b.Data[:b.Len]...)
			if len(got) == len(content) {
				stop.Store(true)
			}
			return true
		}
	})
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes visited, want %d; error %v", len(got), len(content), err)
	}
}
