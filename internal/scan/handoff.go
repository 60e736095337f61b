package scan

import (
	"sync"
	"sync/atomic"
	"time"
)

// Handoff passes a value from block to block in file order. The first block takes the initial
// value. Each block puts a value at the offset where it ends, and the next block takes it. The
// worker of the first unfinished block never waits, because blocks are begun in file order.
type Handoff[T any] struct {
	mu      sync.Mutex
	left    map[int64]T             // values not taken yet, by offset
	work    map[int64]func(T)       // what blocks have left to be done with their value, by offset
	waiting map[int64]chan struct{} // closed when the value is there, by offset
}

// NewHandoff returns a handoff whose first block begins at off and takes first.
func NewHandoff[T any](off int64, first T) *Handoff[T] {
	return &Handoff[T]{left: map[int64]T{off: first}, work: map[int64]func(T){}, waiting: map[int64]chan struct{}{}}
}

// Put leaves a value for the block that begins at off. If the worker of that block did not wait for it, Put
// does what it has left to be done.
func (h *Handoff[T]) Put(off int64, value T) {
	h.mu.Lock()
	do, ok := h.work[off]
	if ok {
		delete(h.work, off)
	} else {
		h.left[off] = value
		if there, ok := h.waiting[off]; ok {
			close(there)
			delete(h.waiting, off)
		}
	}
	h.mu.Unlock()
	if ok {
		do(value)
	}
}

// Leave takes the value at off if it is there. Otherwise it does not wait: it returns false, and the goroutine
// that puts the value calls do with it. Do must put the value for the next block, as a worker would.
func (h *Handoff[T]) Leave(off int64, do func(T)) (value T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if value, ok = h.left[off]; ok {
		delete(h.left, off)
	} else {
		h.work[off] = do
	}
	return value, ok
}

// Try takes the value at off if it is there. It does not wait.
func (h *Handoff[T]) Try(off int64) (value T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if value, ok = h.left[off]; ok {
		delete(h.left, off)
	}
	return value, ok
}

// A worker that waits looks at the flags now and then, because nothing wakes it when they are set.
const (
	handoffLook    = 200 * time.Microsecond
	handoffLookMax = 5 * time.Millisecond
)

// Take waits for the value at off and takes it. It returns false if one of the flags is set
// while it waits, for example because the scan was stopped.
//
// It does not spin. Yielding again and again wakes other threads to look for work: with more workers than processors
// that took as long as the work.
func (h *Handoff[T]) Take(off int64, stop ...*atomic.Bool) (value T, ok bool) {
	for pause := handoffLook; ; pause = min(pause+pause/2, handoffLookMax) {
		if value, ok = h.Try(off); ok {
			return value, true
		}
		for _, flag := range stop {
			if flag.Load() {
				return value, false
			}
		}
		select {
		case <-h.there(off):
		case <-time.After(pause):
		}
	}
}

// there returns a channel that is closed when the value at off is there.
func (h *Handoff[T]) there(off int64) chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	there, ok := h.waiting[off]
	if !ok {
		there = make(chan struct{})
		h.waiting[off] = there
	}
	if _, ok := h.left[off]; ok {
		close(there)
		delete(h.waiting, off)
	}
	return there
}

// Last returns the value that the last block put, after all blocks are done. It returns false if
// other than one value is left, or work: then a block is missing or did not take its value.
func (h *Handoff[T]) Last() (value T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, value = range h.left {
	}
	return value, len(h.left) == 1 && len(h.work) == 0
}
