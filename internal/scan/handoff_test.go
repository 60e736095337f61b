package scan

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
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

// TestHandoffWaits: a worker that waits sleeps until the value is put, and gives up soon after a flag is set.
func TestHandoffWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, stop := NewHandoff(0, "first"), new(atomic.Bool)
		if v, ok := h.Take(0, stop); !ok || v != "first" {
			t.Errorf("took %q, %t", v, ok)
		}
		took := make(chan time.Duration)
		take := func(off int64, want bool) {
			begin := time.Now()
			if v, ok := h.Take(off, stop); ok != want || ok && v != "second" {
				t.Errorf("at %d: took %q, %t", off, v, ok)
			}
			took <- time.Since(begin)
		}
		go take(7, true)
		time.Sleep(time.Second + time.Microsecond)
		h.Put(7, "second")
		if d := <-took; d != time.Second+time.Microsecond {
			t.Errorf("a value that was put after %v was taken after %v", time.Second+time.Microsecond, d)
		}
		go take(9, false)
		time.Sleep(time.Second)
		stop.Store(true)
		if d := <-took; d < time.Second || d > time.Second+handoffLookMax {
			t.Errorf("stopped after a second, ended after %v", d)
		}
		stop.Store(false)
		h.Put(9, "second")
		if v, ok := h.Last(); !ok || v != "second" {
			t.Errorf("left %q, %t", v, ok)
		}
	})
}
