package scan

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Gate hands on a value from block to block in file order. A block takes what the one before
// it has put, where that ends; the first takes what the gate was made with. Whoever is before
// all others never waits, as blocks are begun in file order.
type Gate[T any] struct {
	mu   sync.Mutex
	left map[int64]T // by the offset at which it is taken
}

// NewGate returns the gate before the block at an offset, which takes first.
func NewGate[T any](off int64, first T) *Gate[T] {
	return &Gate[T]{left: map[int64]T{off: first}}
}

// Put leaves a value for the block at an offset.
func (g *Gate[T]) Put(off int64, value T) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left[off] = value
}

// Try takes the value at an offset if it is there.
func (g *Gate[T]) Try(off int64) (value T, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if value, ok = g.left[off]; ok {
		delete(g.left, off)
	}
	return value, ok
}

// A value is put soon after it is waited for, in most cases; a worker that waits for the
// writer of a pipe, or for its reader, sleeps between its looks.
const (
	gateSpins    = 100
	gateSleep    = 20 * time.Microsecond
	gateSleepMax = time.Millisecond
)

// Take waits for the value at an offset. It returns false when one of the flags is set, as
// when the scan has been stopped.
func (g *Gate[T]) Take(off int64, stop ...*atomic.Bool) (value T, ok bool) {
	pause := gateSleep
	for spins := 0; ; spins++ {
		if value, ok = g.Try(off); ok {
			return value, true
		}
		for _, flag := range stop {
			if flag.Load() {
				return value, false
			}
		}
		if spins < gateSpins {
			runtime.Gosched()
			continue
		}
		time.Sleep(pause)
		pause = min(pause+pause/8, gateSleepMax)
	}
}

// Last returns what was put behind the last block, when all blocks have come; false where
// one is missing, or more than one has not taken its value.
func (g *Gate[T]) Last() (value T, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, value = range g.left {
	}
	return value, len(g.left) == 1
}
