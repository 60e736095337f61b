package uring_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/engine/uring"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// directFolder returns a folder whose files the engine can read. If there is none, it skips the
// test, or fails it if THRESH_REQUIRE names uring.
func directFolder(t testing.TB) string {
	t.Helper()
	var refusals []error
	for _, parent := range []string{os.TempDir(), "/var/tmp", "."} {
		folder, err := os.MkdirTemp(parent, "thresh-uring-")
		if err != nil {
			continue
		}
		t.Cleanup(func() {
			if err := os.RemoveAll(folder); err != nil {
				t.Error(err)
			}
		})
		f := write(t, folder, []byte("probe"))
		if err = uring.Probe(f); err == nil {
			return folder
		}
		refusals = append(refusals, err)
	}
	reason := errors.Join(refusals...)
	if strings.Contains(os.Getenv("THRESH_REQUIRE"), "uring") {
		t.Fatalf("required, but: %v", reason)
	}
	t.Skip(reason)
	return ""
}

func write(t testing.TB, folder string, content []byte) *source.File {
	t.Helper()
	name := filepath.Join(folder, "input")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
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

func TestEngine(t *testing.T) {
	traits := enginetest.Traits{Name: "uring", Folder: directFolder(t)}
	for name, c := range map[string]engine.Config{
		"one small block": {BlockBytes: 4096, Depth: 1},
		"small blocks":    {BlockBytes: 8192, Depth: 3},
		"large blocks":    {BlockBytes: 256 << 10, Depth: 4},
	} {
		traits.Config = c
		t.Run(name, func(t *testing.T) { enginetest.Run(t, uring.Open, traits) })
	}
}

// The ring, and not the pread engine, must have read the bytes: all of them and their contexts, and
// nothing else.
func TestRingReads(t *testing.T) {
	f := write(t, directFolder(t), enginetest.Content(4<<20+1000))
	e, err := uring.Open(f, engine.Config{PieceBytes: 1 << 20, BlockBytes: 128 << 10, Depth: 8})
	if err != nil {
		t.Fatal(err)
	}
	visited := int64(0)
	err = enginetest.Scan(e, enginetest.Pieces(0, f.Bytes, 1<<20), 1, func() engine.Visit {
		return func(_ engine.Piece, b engine.Block, _ bool) bool { visited += int64(b.Len); return true }
	})
	if err != nil || visited != f.Bytes {
		t.Errorf("%d of %d bytes visited, error %v", visited, f.Bytes, err)
	}
	s := e.(interface{ Stats() uring.Stats }).Stats()
	if s.Rescued != 0 || s.Bytes != f.Bytes || s.Reads != 33+s.Resubmits {
		t.Errorf("stats %+v, want 33 reads of %d bytes and nothing rescued", s, f.Bytes)
	}
}

// Blocks behind the new end of a truncated file go to the rescue.
func TestShrunkFileIsRescued(t *testing.T) {
	f := write(t, directFolder(t), enginetest.Content(1<<20))
	if err := os.Truncate(f.Name, 100_000); err != nil {
		t.Fatal(err)
	}
	e, err := uring.Open(f, engine.Config{PieceBytes: 1 << 20, BlockBytes: 128 << 10, Depth: 2})
	if err != nil {
		t.Fatal(err)
	}
	lost := int64(0)
	err = enginetest.Scan(e, enginetest.Pieces(0, f.Bytes, 1<<20), 1, func() engine.Visit {
		return func(_ engine.Piece, b engine.Block, _ bool) bool {
			if b.Err != nil {
				lost += b.Err.Len
			}
			return true
		}
	})
	s := e.(interface{ Stats() uring.Stats }).Stats()
	if err != nil || lost != 1<<20-100_000 || s.Rescued != 8 {
		t.Errorf("%d bytes lost, stats %+v, error %v", lost, s, err)
	}
}

// Files that do not support direct reads, and inputs that are not files, are refused with a reason.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		name, want string
		kind       source.Kind // procfs is an example of a file system without direct reads
	}{
		{"/proc/self/maps", "direct reads", source.Regular},
		{"/dev/zero", "stream", source.Stream},
	} {
		f, err := source.Open(test.name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		f.Kind = test.kind
		wantRefusal(t, uring.Probe(f), test.want)
	}
}

func TestFilesInMemoryAreRefused(t *testing.T) {
	folder, err := os.MkdirTemp("/dev/shm", "thresh-uring-")
	if err != nil {
		t.Skip("no tmpfs here: ", err)
	}
	defer os.RemoveAll(folder)
	wantRefusal(t, uring.Probe(write(t, folder, []byte("x"))), "in memory")
}

// wantRefusal checks that an error is a refusal by this engine whose reason contains the text, or,
// on a machine without io_uring, a refusal for that reason.
func wantRefusal(t *testing.T, err error, want string) {
	t.Helper()
	var refused *failure.EngineError
	if !errors.As(err, &refused) || refused.Engine != "uring" {
		t.Errorf("got %v, want a refusal", err)
		return
	}
	if !strings.Contains(refused.Reason, want) && !strings.Contains(refused.Reason, "io_uring") {
		t.Errorf("refused because %q, want something about %q", refused.Reason, want)
	}
}
