package uring_test

import (
	"fmt"
	"testing"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/engine/uring"
)

// BenchmarkDepth compares sizes and depths of direct reads from storage.
func BenchmarkDepth(b *testing.B) {
	f, want := enginetest.BenchFile(b, directFolder(b))
	for _, kib := range []int{256, 512, 1024} {
		for _, depth := range []int{4, 16, 32} {
			b.Run(fmt.Sprintf("block=%dKi/depth=%d", kib, depth), func(b *testing.B) {
				c := engine.Config{PieceBytes: 2 << 20, AheadBytes: 7, BlockBytes: kib << 10, Depth: depth}
				enginetest.Bench(b, uring.Open, f, want, c, func() { enginetest.Cold(b, f.OS()) })
			})
		}
	}
}
