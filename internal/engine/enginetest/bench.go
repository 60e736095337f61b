package enginetest

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
)

const (
	benchBytes = 256 << 20
	lineBytes  = 64
)

// BenchFile writes a file for benchmarks into a folder. It then reads the file from storage, so that
// its pages in the page cache are those of a file that was read. It returns the file and the sum
// that Bench checks.
func BenchFile(b *testing.B, folder string) (*source.File, byte) {
	b.Helper()
	name := filepath.Join(folder, "input")
	content := Content(benchBytes)
	if err := os.WriteFile(name, content, 0o600); err != nil {
		b.Fatal(err)
	}
	coldCopy(b, name)
	return openFile(b, name), sum(content)
}

// sum reads one byte of each cache line of p, at multiples of lineBytes.
func sum(p []byte) (x byte) {
	for i := 0; i < len(p); i += lineBytes {
		x ^= p[i]
	}
	return x
}

// Bench measures scans of a file by two workers that read one byte of each cache line. It calls
// before ahead of each scan, outside the measurement; before may be nil.
func Bench(b *testing.B, open Open, f *source.File, want byte, c engine.Config, before func()) {
	b.Helper()
	b.SetBytes(f.Bytes)
	for b.Loop() {
		if before != nil {
			b.StopTimer()
			before()
			b.StartTimer()
		}
		e, err := open(f, c)
		if err != nil {
			b.Fatal(err)
		}
		var got atomic.Uint32
		err = Scan(e, Pieces(0, f.Bytes, c.PieceBytes), 2, func() engine.Visit {
			return func(_ engine.Piece, block engine.Block, _ bool) bool {
				x := uint32(sum(block.Data[:block.Len]))
				for old := got.Load(); !got.CompareAndSwap(old, old^x); old = got.Load() {
				}
				return block.Err == nil
			}
		})
		if err != nil || byte(got.Load()) != want {
			b.Fatalf("sum %d, want %d; error %v", got.Load(), want, err)
		}
	}
}
