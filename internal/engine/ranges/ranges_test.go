package ranges

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/input/source"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// object is content in memory. Ranges break off at the offsets of broken, each of them once.
type object struct {
	data []byte

	mu        sync.Mutex
	broken    []int64
	latency   time.Duration
	throttled int64
}

var errBroken = errors.New("the answer broke off")

func (o *object) Name() string { return "object" }

func (o *object) Bytes() int64 { return int64(len(o.data)) }

func (o *object) Traffic() (time.Duration, int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.latency, o.throttled
}

func (o *object) Close() error { return nil }

func (o *object) ReadRange(_ context.Context, off, end int64) io.ReadCloser {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, b := range o.broken {
		if off <= b && b < end {
			o.broken = slices.Delete(o.broken, i, i+1)
			return io.NopCloser(io.MultiReader(bytes.NewReader(o.data[off:b]), failing{}))
		}
	}
	return io.NopCloser(bytes.NewReader(o.data[off:end]))
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errBroken }

// TestContract runs the suite of all engines over objects with the content of its files.
func TestContract(t *testing.T) {
	opener := func(f *source.File, c engine.Config) (engine.Engine, error) {
		data, err := os.ReadFile(f.Name)
		if err != nil {
			return nil, err
		}
		return Open(source.FromObject(&object{data: data}), c)
	}
	traits := enginetest.Traits{Name: "ranges", Stream: true, Config: engine.Config{Depth: 4}}
	enginetest.Run(t, opener, traits)
}

// TestNoObject refuses a file.
func TestNoObject(t *testing.T) {
	var refused *failure.EngineError
	if _, err := Open(source.FromBytes("memory", []byte("x")), engine.Config{PieceBytes: 1}); !errors.As(err, &refused) {
		t.Errorf("a file is taken: %v", err)
	}
}

// TestBroken breaks a range off at every offset of a piece and of its context. Each byte of the piece is visited
// once or unread, and a block that counts as read has all of its context: a hit that begins in it cannot be lost,
// even if the next piece is read without an error.
func TestBroken(t *testing.T) {
	const size, piece, block, ahead = 100, 40, 16, 5
	data := enginetest.Content(size)
	for at := range int64(size) {
		for first := range int64(piece) {
			if at-first > piece+ahead {
				continue
			}
			o := &object{data: data, broken: []int64{at}}
			e, err := Open(source.FromObject(o), engine.Config{PieceBytes: piece, AheadBytes: ahead, BlockBytes: block, Depth: 2})
			if err != nil {
				t.Fatal(err)
			}
			pieces := enginetest.Pieces(first, size, piece)
			pos, unread := first, int64(0)
			err = enginetest.Scan(e, pieces, 1, func() engine.Visit {
				return func(p engine.Piece, b engine.Block, last bool) bool {
					end := b.Off + int64(b.Len)
					if b.Err != nil {
						end = b.Off + b.Err.Len
						unread += b.Err.Len
						if !errors.Is(b.Err, errBroken) || at < b.Off || at >= end+ahead {
							t.Errorf("broken at %d: %v", at, b.Err)
						}
					} else if want := data[b.Off:min(end+ahead, size)]; !bytes.Equal(b.Data, want) &&
						(end != at || !bytes.Equal(b.Data, want[:b.Len])) { // unread bytes follow at once
						t.Errorf("broken at %d: block [%d, %d) has %d bytes of context", at, b.Off, end, len(b.Data)-b.Len)
					}
					if b.Off != pos || last != (end == p.End()) {
						t.Errorf("broken at %d: [%d, %d) of piece %v, last %v, after %d", at, b.Off, end, p, last, pos)
					}
					pos = end
					return true
				}
			})
			if err != nil || pos != size || (unread > 0) != (at >= first) {
				t.Errorf("broken at %d: visited to %d, %d unread: %v", at, pos, unread, err)
			}
		}
	}
}

// hanging is an object whose answers never come.
type hanging struct{ object }

func (o *hanging) ReadRange(ctx context.Context, _, _ int64) io.ReadCloser { return waiting{ctx} }

type waiting struct{ ctx context.Context }

func (w waiting) Read([]byte) (int, error) { <-w.ctx.Done(); return 0, w.ctx.Err() }

func (waiting) Close() error { return nil }

// TestStop ends a scan whose answers never come, and the workers that wait at the gate.
func TestStop(t *testing.T) {
	o := &hanging{object{data: make([]byte, 100)}}
	stop := make(chan struct{})
	e, err := Open(source.FromObject(o), engine.Config{PieceBytes: 1, Depth: 2, Stop: func() bool {
		select {
		case <-stop:
			return true
		default:
			return false
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(time.Millisecond, func() { close(stop) })
	err = enginetest.Scan(e, enginetest.Pieces(0, 100, 1), 8, func() engine.Visit {
		return func(engine.Piece, engine.Block, bool) bool { t.Error("a visit"); return false }
	})
	if err != nil {
		t.Error(err)
	}
}
