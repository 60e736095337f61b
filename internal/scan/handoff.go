package scan

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Handoff passes a value from block to block in file order. A block takes the value that the
// block before it has put at the offset where that one ends; the first takes the initial value.
// The worker of the first unfinished block never waits, because blocks are begun in file order.
type Handoff[T any] struct {
	mu   sync.Mutex
	left map[int64]T // by the offset at which it is taken
}

// NewHandoff returns a handoff whose first block lies at an offset and takes first.
func NewHandoff[T any](off int64, first T) *Handoff[T] {
	return &Handoff[T]{left: map[int64]T{off: first}}
}

// Put leaves a value for the block at an offset.
func (h *Handoff[T]) Put(off int64, value T) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left[off] = value
}

// Try takes the value at an offset if it is there.
func (h *Handoff[T]) Try(off int64) (value T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if value, ok = h.left[off]; ok {
		delete(h.left, off)
	}
	return value, ok
}

// Most values are put soon after a worker starts to wait; a worker that waits for a pipe
// sleeps between its attempts.
const (
	handoffSpins    = 100
	handoffSleep    = 20 * time.Microsecond
	handoffSleepMax = time.Millisecond
)

// Take waits for the value at an offset. It returns false when one of the flags is set, as
// when the scan has been stopped.
func (h *Handoff[T]) Take(off int64, stop ...*atomic.Bool) (value T, ok bool) {
	pause := handoffSleep
	for spins := 0; ; spins++ {
		if value, ok = h.Try(off); ok {
			return value, true
		}
		for _, flag := range stop {
			if flag.Load() {
				return value, false
			}
		}
		if spins < handoffSpins {
			runtime.Gosched()
			continue
		}
		time.Sleep(pause)
		pause = min(pause+pause/8, handoffSleepMax)
	}
}

// Last returns what was put behind the last block, when all blocks have come; false where
// one is missing, or more than one has not taken its value.
func (h *Handoff[T]) Last() (value T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, value = range h.left {
	}
	return value, len(h.left) == 1
}
