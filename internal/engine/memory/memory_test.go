package memory

import (
	"errors"
	"io"
	"testing"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// TestSuite runs the suite of all engines on the content of its files. A file that changes after
// it was read into memory is not looked at, as with a stream.
func TestSuite(t *testing.T) {
	enginetest.Run(t, func(f *source.File, c engine.Config) (engine.Engine, error) {
		content, err := io.ReadAll(io.NewSectionReader(f, 0, f.Bytes))
		if err != nil {
			return nil, err
		}
		return Open(source.FromBytes(f.Name, content), c)
	}, enginetest.Traits{Name: "memory", Stream: true})
}

func TestNoCopy(t *testing.T) {
	content := enginetest.Content(1000)
	e, err := Open(source.FromBytes("memory", content), engine.Config{PieceBytes: 300, AheadBytes: 7})
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Reader()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	next := enginetest.Queue([]engine.Piece{{Off: 0, Len: 300}, {Off: 300, Len: 300}, {Off: 600, Len: 600}})
	err = r.Run(next, func(_ engine.Piece, b engine.Block, _ bool) bool {
		if b.Err != nil {
			if b.Err.Off != 1000 || b.Err.Len != 200 || !errors.Is(b.Err, failure.ErrEnded) {
				t.Errorf("behind the end: %v", b.Err)
			}
			return true
		}
		if &b.Data[0] != &content[b.Off] || len(b.Data) != min(b.Len+7, 1000-int(b.Off)) {
			t.Errorf("the block at %d is a copy, or has %d bytes", b.Off, len(b.Data))
		}
		seen += b.Len
		return true
	})
	if err != nil || seen != 1000 {
		t.Errorf("%d bytes seen, %v", seen, err)
	}
}

func TestRefusesFiles(t *testing.T) {
	var refused *failure.EngineError
	if _, err := Open(&source.File{Kind: source.Regular}, engine.Config{}); !errors.As(err, &refused) {
		t.Errorf("a file: %v", err)
	}
}
