//go:build unix

package mmap_test

import (
	"fmt"
	"testing"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/engine/mmap"
)

// BenchmarkPopulate compares faults on first access with one populating call per piece.
func BenchmarkPopulate(b *testing.B) {
	f, want := enginetest.BenchFile(b, b.TempDir())
	for _, populate := range []bool{false, true} {
		b.Run(fmt.Sprintf("populate=%v", populate), func(b *testing.B) {
			c := engine.Config{PieceBytes: 2 << 20, AheadBytes: 7, Populate: populate}
			enginetest.Bench(b, mmap.Open, f, want, c, nil)
		})
	}
}
