package catalog_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/catalog"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// Each engine that people may ask for reads a file, with pieces of the sizes in its row, and says its name.
// Engines of other inputs refuse the file with an error for people.
func TestRows(t *testing.T) {
	content := enginetest.Content(5 << 20)
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := source.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, d := range catalog.All {
		if catalog.Named(d.Name) != d {
			t.Errorf("%s: another engine has the name", d.Name)
		}
		c := engine.Config{PieceBytes: 1 << 20, AheadBytes: 100, BlockBytes: 64 << 10, Depth: 2}
		if d.PieceBytes != nil {
			c.PieceBytes = d.PieceBytes(true, c.AheadBytes)
		}
		if d.BufferBytes != nil && d.BufferBytes(c) < int64(c.AheadBytes) {
			t.Errorf("%s: buffers of %d bytes", d.Name, d.BufferBytes(c))
		}
		e, err := d.Open(f, c)
		var refused *failure.EngineError
		if d.Probe != nil && (d.Probe(f) == nil) != (err == nil) {
			t.Errorf("%s: Probe says %v, Open %v", d.Name, d.Probe(f), err)
		}
		if errors.As(err, &refused) && (d.Only || d.Probe != nil) {
			if refused.Engine != d.Name || refused.Reason == "" {
				t.Errorf("%s: refused with %+v", d.Name, refused)
			}
			continue
		}
		if err != nil || e.Name() != d.Name {
			t.Fatalf("%s: opened a file as %v, error %v", d.Name, e, err)
		}
		got := make([]byte, len(content))
		var mu sync.Mutex
		pieces := enginetest.Pieces(0, int64(len(content)), c.PieceBytes)
		err = enginetest.Scan(e, pieces, 2, func() engine.Visit {
			return func(_ engine.Piece, b engine.Block, _ bool) bool {
				mu.Lock()
				defer mu.Unlock()
				copy(got[b.Off:], b.Data[:b.Len])
				return b.Err == nil
			}
		})
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: other bytes, error %v", d.Name, err)
		}
	}
}
