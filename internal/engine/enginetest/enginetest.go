// Package enginetest is the test suite that every engine must pass. It checks the contract of
// package engine: the right bytes, each exactly once, in order, with their context, even if the
// file changes during the scan.
package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// Open opens the engine under test.
type Open func(f *source.File, c engine.Config) (engine.Engine, error)

// Traits describe an engine beyond the contract that all share.
type Traits struct {
	Name string // the result of the engine's Name
	// Stream leaves out the tests of files that change: a stream just ends.
	Stream bool
	// Folder is the folder for files; if empty, the test's own.
	Folder string
	// Config is the base configuration. The tests set PieceBytes and AheadBytes.
	Config engine.Config
}

// Run runs the suite.
func Run(t *testing.T, open Open, traits Traits) {
	s := suite{open, traits}
	t.Run("contents", s.contents)
	t.Run("range", s.rangeOnly)
	t.Run("readers", s.readers)
	t.Run("early stop", s.earlyStop)
	t.Run("close without run", s.closeWithoutRun)
	t.Run("sparse", s.sparse)
	t.Run("leaks", s.leaks)
	t.Run("small sizes", s.smallSizes)
	if !traits.Stream {
		t.Run("behind the end", s.behindTheEnd)
		t.Run("shrunk before", s.shrunkBefore)
		t.Run("shrunk during", s.shrunkDuring)
		t.Run("grown", s.grown)
	}
}

type suite struct {
	open   Open
	traits Traits
}

// Content returns n random bytes. No part of them repeats, so bytes from a wrong offset are noticed.
func Content(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// file writes and opens a file.
func (s suite) file(t testing.TB, content []byte) *source.File {
	t.Helper()
	name := filepath.Join(s.folder(t), "input")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return openFile(t, name)
}

func (s suite) folder(t testing.TB) string {
	t.Helper()
	if s.traits.Folder == "" {
		return t.TempDir()
	}
	name, err := os.MkdirTemp(s.traits.Folder, "thresh-enginetest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(name); err != nil {
			t.Error(err)
		}
	})
	return name
}

func openFile(t testing.TB, name string) *source.File {
	t.Helper()
	f, err := source.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func (s suite) config(pieceBytes, aheadBytes int) engine.Config {
	c := s.traits.Config
	c.PieceBytes, c.AheadBytes = pieceBytes, aheadBytes
	return c
}

// Pieces cuts [off, end) into pieces that end at multiples of pieceBytes.
func Pieces(off, end int64, pieceBytes int) (pieces []engine.Piece) {
	for off < end {
		n := min(int64(pieceBytes)-off%int64(pieceBytes), end-off)
		pieces = append(pieces, engine.Piece{Off: off, Len: int(n)})
		off += n
	}
	return pieces
}

// Queue hands out pieces in order. Several workers may share it.
func Queue(pieces []engine.Piece) engine.Next {
	var mu sync.Mutex
	return func() (engine.Piece, bool) {
		mu.Lock()
		defer mu.Unlock()
		if len(pieces) == 0 {
			return engine.Piece{}, false
		}
		p := pieces[0]
		pieces = pieces[1:]
		return p, true
	}
}

// Scan runs an engine over pieces with a number of workers, and closes it.
func Scan(e engine.Engine, pieces []engine.Piece, workers int, visitor func() engine.Visit) error {
	next := Queue(pieces)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			r, err := e.Reader()
			if err != nil {
				errs[i] = err
				return
			}
			errs[i] = errors.Join(r.Run(next, visitor()), r.Close())
		})
	}
	wg.Wait()
	return errors.Join(errors.Join(errs...), e.Close())
}

// scan scans a file with a checker and reports its faults.
func (s suite) scan(t testing.TB, f *source.File, c engine.Config, pieces []engine.Piece,
	workers int, check *checker) {
	t.Helper()
	e, err := s.open(f, c)
	if err != nil {
		t.Fatal(err)
	}
	if e.Name() != s.traits.Name {
		t.Errorf("engine is called %q, want %q", e.Name(), s.traits.Name)
	}
	check.ahead = c.AheadBytes
	if err := Scan(e, pieces, workers, check.visitor); err != nil {
		t.Error(err)
	}
	for _, fault := range check.faults {
		t.Error(fault)
	}
	if err := check.once(pieces); err != nil {
		t.Error(err)
	}
}

func (s suite) mustReadAll(t testing.TB, check *checker) {
	t.Helper()
	for _, u := range check.unread {
		t.Errorf("unread: %v", &u)
	}
}

func (s suite) contents(t *testing.T) {
	const largest = 2_300_000 // larger than any block, so that a piece has several
	content := Content(3*largest + 123)
	for _, pieceBytes := range []int{1000, 4096, 64 << 10, largest} {
		sizes := []int{0, 1, 511, 512, 513, 4095, 4096, 4097, pieceBytes - 1, pieceBytes,
			pieceBytes + 1, 3*pieceBytes + 123}
		for _, size := range sizes {
			for _, ahead := range []int{0, 1, 7, 4096} {
				name := fmt.Sprintf("size=%d/piece=%d/ahead=%d", size, pieceBytes, ahead)
				t.Run(name, func(t *testing.T) {
					f := s.file(t, content[:size])
					check := &checker{want: content[:size]}
					pieces := Pieces(0, int64(size), pieceBytes)
					s.scan(t, f, s.config(pieceBytes, ahead), pieces, 1, check)
					s.mustReadAll(t, check)
				})
			}
		}
	}
}

// rangeOnly scans ranges that begin and end at odd offsets, with gaps between the pieces.
func (s suite) rangeOnly(t *testing.T) {
	content := Content(1<<20 + 77)
	for _, off := range []int64{1, 511, 513, 4095, 4097, 300_001} {
		t.Run(fmt.Sprintf("offset=%d", off), func(t *testing.T) {
			f := s.file(t, content)
			check := &checker{want: content}
			pieces := Pieces(off, int64(len(content))-off, 32<<10)
			for i := 0; i < len(pieces); i += 2 {
				pieces = append(pieces[:i], pieces[min(i+1, len(pieces)):]...)
			}
			s.scan(t, f, s.config(32<<10, 7), pieces, 1, check)
			s.mustReadAll(t, check)
		})
	}
}

func (s suite) readers(t *testing.T) {
	content := Content(8<<20 + 5)
	for _, workers := range []int{2, 7} {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) {
			f := s.file(t, content)
			check := &checker{want: content}
			pieces := Pieces(3, int64(len(content)), 100_000)
			s.scan(t, f, s.config(100_000, 63), pieces, workers, check)
			s.mustReadAll(t, check)
		})
	}
}
