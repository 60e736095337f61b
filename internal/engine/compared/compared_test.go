//go:build unix

package compared_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/compared"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/engine/mmap"
	"github.com/thresh-dev/thresh/internal/engine/pread"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

func openTimed(f *source.File, c engine.Config) (engine.Engine, error) { return open(f, c, true) }

func openCounted(f *source.File, c engine.Config) (engine.Engine, error) { return open(f, c, false) }

func open(f *source.File, c engine.Config, timed bool) (engine.Engine, error) {
	first, err := mmap.Open(f, c)
	if err != nil {
		return nil, err
	}
	second, err := pread.Open(f, c)
	if err != nil {
		return nil, errors.Join(err, first.Close())
	}
	return compared.Open(first, second, timed), nil
}

// TestEngine also runs with every second piece read by the other engine.
func TestEngine(t *testing.T) {
	t.Run("real", func(t *testing.T) { enginetest.Run(t, openTimed, enginetest.Traits{Name: "mmap"}) })
	t.Run("counted", func(t *testing.T) { enginetest.Run(t, openCounted, enginetest.Traits{Name: "mmap"}) })
	t.Run("shrunk", func(t *testing.T) {
		for _, size := range threshold.All() {
			if strings.HasPrefix(size.Name(), "compared: ") {
				size.Set(2)
				t.Cleanup(func() { size.Set(size.Real()) })
			}
		}
		enginetest.Run(t, openTimed, enginetest.Traits{Name: "mmap"})
	})
}

// TestTakeBytes reads everything, and asks which engine read how much.
func TestTakeBytes(t *testing.T) {
	const pieceBytes, pieces = 4096, 1000
	name := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, enginetest.Content(pieces*pieceBytes), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := source.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e, err := openTimed(f, engine.Config{PieceBytes: pieceBytes})
	if err != nil {
		t.Fatal(err)
	}
	var read atomic.Int64
	err = enginetest.Scan(e, enginetest.Pieces(0, f.Bytes, pieceBytes), 2, func() engine.Visit {
		return func(_ engine.Piece, b engine.Block, _ bool) bool {
			read.Add(int64(b.Len))
			return true
		}
	})
	if err != nil || read.Load() != f.Bytes {
		t.Errorf("%d bytes, %v", read.Load(), err)
	}
	type split interface{ TakeBytes() int64 }
	second := e.(split).TakeBytes()
	if second == 0 || second == f.Bytes || second%pieceBytes != 0 {
		t.Errorf("the second engine read %d bytes of %d", second, f.Bytes)
	}
	if again := e.(split).TakeBytes(); again != 0 {
		t.Errorf("%d bytes were taken twice", again)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
