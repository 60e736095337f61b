//go:build unix

package mmap_test

import (
	"fmt"
	"testing"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/engine/mmap"
)

// BenchmarkPopulate compares faults on first access with populating calls ahead of the visit.
func BenchmarkPopulate(b *testing.B) {
	f, want := enginetest.BenchFile(b, b.TempDir())
	for _, depth := range []int{0, 1, 4} {
		b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) {
			c := engine.Config{PieceBytes: 2 << 20, AheadBytes: 7, Depth: depth}
			enginetest.Bench(b, mmap.Open, f, want, c, nil)
		})
	}
}
