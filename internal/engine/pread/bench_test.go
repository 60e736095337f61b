package pread

import (
	"fmt"
	"testing"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// BenchmarkBlocks compares read sizes. The file is in the page cache.
func BenchmarkBlocks(b *testing.B) {
	f, want := enginetest.BenchFile(b, b.TempDir())
	for _, kib := range []int{64, 128, 256, 512, 1024, 2048} {
		b.Run(fmt.Sprintf("block=%dKi", kib), func(b *testing.B) {
			opener := func(f *source.File, c engine.Config) (engine.Engine, error) {
				return open(f, c, kib<<10), nil
			}
			enginetest.Bench(b, opener, f, want, engine.Config{PieceBytes: 2 << 20, AheadBytes: 7}, nil)
		})
	}
}
