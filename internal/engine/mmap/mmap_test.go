//go:build unix

package mmap_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/engine/mmap"
	"github.com/thresh-dev/thresh/internal/input/source"
)

func TestEngine(t *testing.T) {
	enginetest.Run(t, mmap.Open, enginetest.Traits{Name: "mmap"})
}

func TestEngineAhead(t *testing.T) {
	for _, depth := range []int{1, 2, 5} {
		t.Run(fmt.Sprint(depth), func(t *testing.T) {
			enginetest.Run(t, mmap.Open, enginetest.Traits{Name: "mmap", Config: engine.Config{Depth: depth}})
		})
	}
}

// open writes and maps a file.
func open(t *testing.T, content []byte) (*source.File, engine.Engine) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := source.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	e, err := mmap.Open(f, engine.Config{PieceBytes: len(content)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(e.Close(), f.Close()); err != nil {
			t.Error(err)
		}
	})
	return f, e
}

// run visits a piece of the whole file.
func run(t *testing.T, f *source.File, e engine.Engine, visit engine.Visit) {
	t.Helper()
	r, err := e.Reader()
	if err != nil {
		t.Fatal(err)
	}
	next := enginetest.Queue([]engine.Piece{{Off: 0, Len: int(f.Bytes)}})
	if err := errors.Join(r.Run(next, visit), r.Close()); err != nil {
		t.Error(err)
	}
}

// A block that faults is visited again up to the fault, and the rest is reported as unread.
func TestFaultIsVisitedAgainWithoutWhatIsLost(t *testing.T) {
	content := enginetest.Content(1 << 20)
	const keep = 300_001
	f, e := open(t, content)
	type call struct{ off, len, unread int }
	var calls []call
	run(t, f, e, func(_ engine.Piece, b engine.Block, last bool) bool {
		c := call{off: int(b.Off), len: b.Len}
		if b.Err != nil {
			c.unread = int(b.Err.Len)
		}
		calls = append(calls, c)
		if len(calls) == 1 {
			if err := os.Truncate(f.Name, keep); err != nil {
				t.Error(err)
			}
		}
		// Equal stops at the zeros behind the new end, so read the last byte, which faults.
		if b.Err == nil && (b.Data[len(b.Data)-1] != content[len(b.Data)-1] ||
			!bytes.Equal(b.Data, content[:len(b.Data)])) {
			t.Error("other bytes than the file's")
		}
		return true
	})
	want := []call{{0, 1 << 20, 0}, {0, keep, 0}, {keep, 0, 1<<20 - keep}}
	if len(calls) != len(want) {
		t.Fatalf("visits %v, want %v", calls, want)
	}
	for i, c := range calls {
		if c != want[i] {
			t.Errorf("visits %v, want %v", calls, want)
		}
	}
}

// A panic that is not a fault in the mapping reaches the caller of Run, and the setting of
// SetPanicOnFault is restored.
func TestForeignPanicsGoOn(t *testing.T) {
	f, e := open(t, enginetest.Content(5000))
	var nowhere *int
	for name, visit := range map[string]func(){
		"panic":           func() { panic("mine") },
		"nil dereference": func() { *nowhere = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
				if debug.SetPanicOnFault(false) {
					t.Error("faults still panic after the Run")
				}
			}()
			run(t, f, e, func(engine.Piece, engine.Block, bool) bool { visit(); return true })
		})
	}
}

func TestStreamIsRefused(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	f, err := source.FromOS("pipe", r)
	if err != nil {
		t.Fatal(err)
	}
	_, err = mmap.Open(f, engine.Config{})
	var refused *failure.EngineError
	if !errors.As(err, &refused) {
		t.Errorf("mapping a pipe: %v, want a refusal", err)
	}
	if err := errors.Join(f.Close(), w.Close()); err != nil {
		t.Error(err)
	}
}
