package pread_test

import (
	"testing"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/engine/pread"
	"github.com/thresh-dev/thresh/internal/input/source"
)

func TestEngine(t *testing.T) {
	enginetest.Run(t, pread.Open, enginetest.Traits{Name: "pread"})
}

// TestEngineOnReaderAt reads the same files through io.ReaderAt.
func TestEngineOnReaderAt(t *testing.T) {
	open := func(f *source.File, c engine.Config) (engine.Engine, error) {
		return pread.Open(source.FromReaderAt(f.Name, f.OS(), f.Bytes), c)
	}
	enginetest.Run(t, open, enginetest.Traits{Name: "pread"})
}
