package stream_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/engine/stream"
	"github.com/thresh-dev/thresh/internal/input/source"
)

func TestEngineOnFiles(t *testing.T) {
	enginetest.Run(t, stream.Open, enginetest.Traits{Name: "stream", Stream: true})
}

func TestEngineOnReaders(t *testing.T) {
	open := func(f *source.File, c engine.Config) (engine.Engine, error) {
		content, err := os.ReadFile(f.Name)
		if err != nil {
			return nil, err
		}
		return stream.OpenReader(f.Name, iotest.HalfReader(bytes.NewReader(content)), c)
	}
	enginetest.Run(t, open, enginetest.Traits{Name: "stream", Stream: true})
}

// scan reads the input in pieces of pieceBytes to its end and returns the blocks.
func scan(t *testing.T, e engine.Engine, off int64, pieceBytes int) (
	got []byte, blocks []engine.Block) {
	t.Helper()
	pieces := enginetest.Pieces(off, off+64*int64(pieceBytes), pieceBytes)
	pos, open := off, false
	err := enginetest.Scan(e, pieces, 1, func() engine.Visit {
		return func(p engine.Piece, b engine.Block, last bool) bool {
			if b.Off != pos {
				t.Errorf("block at %d, want %d", b.Off, pos)
			}
			pos += int64(b.Len)
			open = !last
			got = append(got, b.Data[:b.Len]...)
			blocks = append(blocks, b)
			return true
		}
	})
	if err != nil {
		t.Error(err)
	}
	if open {
		t.Error("the final block is not the last of its piece")
	}
	return got, blocks
}

// An input is visited to its end, wherever in a piece the end is.
func TestEnd(t *testing.T) {
	content := enginetest.Content(1000)
	for _, size := range []int{0, 1, 99, 100, 101, 199, 1000} {
		for _, ahead := range []int{0, 1, 30, 250} {
			e, err := stream.OpenReader("x", bytes.NewReader(content[:size]),
				engine.Config{PieceBytes: 100, AheadBytes: ahead})
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := scan(t, e, 0, 100); !bytes.Equal(got, content[:size]) {
				t.Errorf("size %d, context %d: %d bytes visited, or other ones", size, ahead, len(got))
			}
		}
	}
}

// A read error ends the input and is reported once, at its offset.
func TestReadError(t *testing.T) {
	content := enginetest.Content(1000)
	for _, size := range []int{0, 50, 100, 130, 1000} {
		for _, ahead := range []int{0, 40, 250} {
			broken := errors.New("broken")
			in := io.MultiReader(bytes.NewReader(content[:size]), iotest.ErrReader(broken))
			e, err := stream.OpenReader("x", in, engine.Config{PieceBytes: 100, AheadBytes: ahead})
			if err != nil {
				t.Fatal(err)
			}
			got, blocks := scan(t, e, 0, 100)
			if !bytes.Equal(got, content[:size]) {
				t.Errorf("size %d, context %d: %d bytes visited, or other ones", size, ahead, len(got))
			}
			var reports []*failure.UnreadError
			for _, b := range blocks {
				if b.Err != nil {
					reports = append(reports, b.Err)
				}
			}
			if len(reports) != 1 || reports[0].Off != int64(size) || !errors.Is(reports[0], broken) {
				t.Errorf("size %d, context %d: reports %v, want one at the end", size, ahead, reports)
			}
		}
	}
}

// Pieces may begin anywhere. The bytes before them, if any, are dropped.
func TestSkip(t *testing.T) {
	content := enginetest.Content(1000)
	for _, off := range []int64{1, 99, 350, 999, 1000, 1001} {
		e, err := stream.OpenReader("x", bytes.NewReader(content),
			engine.Config{PieceBytes: 100, AheadBytes: 10})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := scan(t, e, off, 100); !bytes.Equal(got, content[min(off, 1000):]) {
			t.Errorf("from %d: %d bytes visited, or other ones", off, len(got))
		}
	}
}

func TestPiecesThatGoBackAreAnError(t *testing.T) {
	e, err := stream.OpenReader("x", bytes.NewReader(make([]byte, 1000)),
		engine.Config{PieceBytes: 100})
	if err != nil {
		t.Fatal(err)
	}
	pieces := []engine.Piece{{Off: 500, Len: 100}, {Off: 0, Len: 100}}
	err = enginetest.Scan(e, pieces, 1, func() engine.Visit {
		return func(engine.Piece, engine.Block, bool) bool { return true }
	})
	if err == nil {
		t.Error("a piece before the position was accepted")
	}
}

// A reader that keeps returning nothing ends the input with an error.
func TestReaderWithoutProgress(t *testing.T) {
	e, err := stream.OpenReader("x", empty{}, engine.Config{PieceBytes: 100})
	if err != nil {
		t.Fatal(err)
	}
	_, blocks := scan(t, e, 0, 100)
	if len(blocks) != 1 || !errors.Is(blocks[0].Err, io.ErrNoProgress) {
		t.Errorf("blocks %v, want one that reports no progress", blocks)
	}
}

type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, nil }

// halting returns its bytes in reads of random length, some of them empty, and ends with an error,
// which may come together with the last bytes.
type halting struct {
	left []byte
	r    *rand.Rand
	err  error
}

func (h *halting) Read(p []byte) (int, error) {
	n := min(h.r.IntN(400), len(p), len(h.left))
	if h.r.IntN(8) == 0 {
		n = 0
	}
	copy(p, h.left[:n])
	h.left = h.left[n:]
	if len(h.left) == 0 && (n == 0 || h.r.IntN(2) == 0) {
		return n, h.err
	}
	return n, nil
}

// TestAccount reads inputs that end anywhere, with or without an error, with several workers. Each
// byte before the end is visited once, and an error is reported once, at its offset.
func TestAccount(t *testing.T) {
	content := enginetest.Content(20_000)
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		size := r.IntN(len(content) + 1)
		in := &halting{left: content[:size], r: r, err: []error{io.EOF, syscall.EIO}[seed%2]}
		c := engine.Config{PieceBytes: 1 + r.IntN(3000), AheadBytes: []int{0, 1, 70, 5000}[r.IntN(4)], Lines: r.IntN(2) == 0}
		e, err := stream.OpenReader("x", in, c)
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var visited [][2]int64
		var unread []failure.UnreadError
		workers := 1 + r.IntN(3)
		pieces := enginetest.Pieces(0, int64(len(content)+c.PieceBytes), c.PieceBytes)
		err = enginetest.Scan(e, pieces, workers, func() engine.Visit {
			return func(_ engine.Piece, b engine.Block, last bool) bool {
				mu.Lock()
				defer mu.Unlock()
				end := b.Off + int64(len(b.Data))
				if b.Err != nil {
					unread = append(unread, *b.Err)
				} else if end > int64(size) || !bytes.Equal(b.Data, content[b.Off:end]) {
					t.Errorf("block [%d, %d) of %d has other bytes", b.Off, end, size)
				} else if b.Len > 0 {
					visited = append(visited, [2]int64{b.Off, b.Off + int64(b.Len)})
				}
				return true
			}
		})
		if err != nil {
			t.Error(err)
		}
		slices.SortFunc(visited, func(a, b [2]int64) int { return int(a[0] - b[0]) })
		var pos int64
		for _, v := range visited {
			if v[0] != pos {
				t.Errorf("visited [%d, %d) behind %d", v[0], v[1], pos)
			}
			pos = v[1]
		}
		if pos != int64(size) {
			t.Errorf("visited %d of %d bytes", pos, size)
		}
		if broke := in.err != io.EOF; broke != (len(unread) == 1) || broke && (unread[0].Off != pos || unread[0].Err != in.err) {
			t.Errorf("%v at %d, reported %v", in.err, size, unread)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %d bytes, %+v, %d workers", seed, size, c, workers)
		}
	}
}

// pausing returns its bytes at once, then waits for a while, and then ends.
type pausing struct{ chunks []string }

func (p *pausing) Read(b []byte) (int, error) {
	if len(p.chunks) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.chunks[0])
	if n == 0 {
		time.Sleep(30 * time.Millisecond)
	}
	p.chunks = p.chunks[1:]
	return n, nil
}

// TestLineThatBegins has a slow input that pauses in a line. No line feed has arrived but that of
// the line before, so the bytes that have their full context are visited at once.
func TestLineThatBegins(t *testing.T) {
	in := &pausing{[]string{"\nabcdefgh", "", "ijk\n"}}
	e, err := stream.OpenReader("x", in, engine.Config{PieceBytes: 1000, AheadBytes: 4, Lines: true})
	if err != nil {
		t.Fatal(err)
	}
	got, blocks := scan(t, e, 0, 1000)
	if string(got) != "\nabcdefghijk\n" || blocks[0].Len != 5 {
		t.Errorf("%q, the first block of %d bytes", got, blocks[0].Len)
	}
}
