package table

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// gate hands on a value from block to block in file order. A block takes what the one before
// it has put, where that ends; the first takes what the gate was made with. Whoever is before
// all others never waits, as blocks are begun in file order.
type gate[T any] struct {
	mu   sync.Mutex
	left map[int64]T // by the offset at which it is taken
}

func newGate[T any](off int64, first T) *gate[T] {
	return &gate[T]{left: map[int64]T{off: first}}
}

func (g *gate[T]) put(off int64, value T) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left[off] = value
}

func (g *gate[T]) try(off int64) (value T, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if value, ok = g.left[off]; ok {
		delete(g.left, off)
	}
	return value, ok
}

// A value is put soon after it is waited for, in most cases; a worker that waits for the
// writer of a pipe sleeps between its looks.
const (
	gateSpins = 100
	gateSleep = 20 * time.Microsecond
)

// take waits for the value at an offset. It returns false when one of the flags is set, as
// when the scan has been stopped.
func (g *gate[T]) take(off int64, stop ...*atomic.Bool) (value T, ok bool) {
	for spins := 0; ; spins++ {
		if value, ok = g.try(off); ok {
			return value, true
		}
		for _, flag := range stop {
			if flag.Load() {
				return value, false
			}
		}
		if spins < gateSpins {
			runtime.Gosched()
		} else {
			time.Sleep(gateSleep)
		}
	}
}
