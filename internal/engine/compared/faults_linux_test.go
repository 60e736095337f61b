package compared_test

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/input/source"
	"golang.org/x/sys/unix"
)

// TestSinglePages reads a file that lies in the page cache in single pages, as one that was written in
// small pieces does. The mapping takes a fault for 64 KiB at most, so reads take over.
func TestSinglePages(t *testing.T) {
	const pieceBytes, pieces = 256 << 10, 64
	file, err := os.Create(filepath.Join(t.TempDir(), "input"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_RANDOM); err != nil {
		t.Fatal(err)
	}
	content := enginetest.Content(pieces * pieceBytes)
	for off := 0; off < len(content); off += 512 {
		if _, err := file.Write(content[off : off+512]); err != nil {
			t.Fatal(err)
		}
	}
	f, err := source.Open(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e, err := openCounted(f, engine.Config{PieceBytes: pieceBytes})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var faults atomic.Int64
	err = enginetest.Scan(e, enginetest.Pieces(0, f.Bytes, pieceBytes), 1, func() engine.Visit {
		return func(_ engine.Piece, b engine.Block, _ bool) bool {
			var before, after unix.Rusage
			if err := unix.Getrusage(unix.RUSAGE_THREAD, &before); err != nil {
				t.Error(err)
			}
			sum := byte(0)
			for _, c := range b.Data[:b.Len] {
				sum += c
			}
			if err := unix.Getrusage(unix.RUSAGE_THREAD, &after); err != nil || sum == 1 {
				t.Log(err, sum)
			}
			faults.Add(after.Minflt - before.Minflt)
			return true
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	read := e.(interface{ TakeBytes() int64 }).TakeBytes()
	if faults.Load() < 3 {
		t.Skipf("this file system has put the file into large pages: %d faults", faults.Load())
	}
	if least := int64(pieces/2) * pieceBytes; read < least {
		t.Errorf("%d bytes were read, not mapped; want at least %d", read, least)
	}
}
