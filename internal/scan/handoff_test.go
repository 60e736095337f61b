package scan

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// TestHandoffInOrder: the value visits all blocks in file order, whether their workers wait for it or leave their
// work to the others.
func TestHandoffInOrder(t *testing.T) {
	const blocks, workers = 300, 4
	for seed := range uint64(8) {
		h := NewHandoff(0, []int64(nil))
		var next atomic.Int64
		var wg sync.WaitGroup
		for k := range uint64(workers) {
			r := rand.New(rand.NewPCG(seed, k))
			wg.Go(func() {
				for off := next.Add(1) - 1; off < blocks; off = next.Add(1) - 1 {
					do := func(seen []int64) { h.Put(off+1, append(seen, off)) }
					var seen []int64
					ok := true
					if r.IntN(4) > 0 {
						seen, ok = h.Leave(off, do)
					} else {
						seen, ok = h.Take(off)
					}
					if ok {
						do(seen)
					}
				}
			})
		}
		wg.Wait()
		seen, ok := h.Last()
		if !ok || len(seen) != blocks || !slices.IsSorted(seen) {
			t.Fatalf("seed %d: %v, visited %v", seed, ok, seen)
		}
	}
}

// TestHandoffMissesABlock: Last reports that work was left behind a block that never came.
func TestHandoffMissesABlock(t *testing.T) {
	h := NewHandoff(0, "value")
	if _, ok := h.Leave(2, func(string) { t.Error("the work was done before its turn") }); ok {
		t.Error("the value is at 0, and was taken at 2")
	}
	if _, ok := h.Last(); ok {
		t.Error("block 0 is missing")
	}
	if v, ok := h.Leave(0, nil); !ok || v != "value" {
		t.Errorf("the value at 0: %q, %v", v, ok)
	}
}
