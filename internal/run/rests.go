package run

import (
	"slices"
	"sync"
)

// rests holds the rests of batches whose workers have come to a big file. Without it, one worker would
// search up to batchFiles big files, one after the other, while others have nothing to do.
//
// A worker that has finished its big file goes on with the rest of its batch unless another has taken
// that. So the lowest batch that is not finished always has a worker, or is the next one of a worker
// that waits for nothing: workers may wait for the turn of their batch.
type rests struct {
	mu      sync.Mutex
	list    []*batch      // at most one of each worker
	workers int           // that run
	offered chan struct{} // receives when the list has grown
}

// start starts a worker if fewer than that many run.
func (m *manyRun) start(most int) {
	m.rests.mu.Lock()
	defer m.rests.mu.Unlock()
	if m.rests.workers < most {
		m.rests.workers++
		m.wg.Go(m.work)
	}
}

// next returns a batch for a worker, which ends if there is none: then all names are listed, and
// no rest is left. Rests come first, because their files do.
func (m *manyRun) next() *batch {
	for {
		if b := m.rests.take(false); b != nil {
			return b
		}
		select {
		case <-m.rests.offered:
		case b, ok := <-m.toDo:
			if ok {
				return b
			}
			return m.rests.take(true)
		}
	}
}

// take returns a rest, nil if there is none. Then, if it is the last attempt of a worker, that worker no
// longer counts as one that runs: whoever offers a rest starts another.
func (r *rests) take(last bool) *batch {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) == 0 {
		if last {
			r.workers--
		}
		return nil
	}
	b := r.list[0]
	r.list = r.list[1:]
	return b
}

// offer adds a rest that any worker may take.
func (r *rests) offer(b *batch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, b)
	select {
	case r.offered <- struct{}{}:
	default: // a worker will look anyway
	}
}

// reclaim removes a rest from the list. It returns false if another worker has taken it, and for nil.
func (r *rests) reclaim(b *batch) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.list {
		if r.list[i] == b {
			r.list = slices.Delete(r.list, i, i+1)
			return true
		}
	}
	return false
}
