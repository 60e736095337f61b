package run

import (
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/threshold"
)

var (
	// A worker takes this many names at once while the others are busy.
	batchFiles = threshold.New("many: files of a batch", 16, 1)
	// How many batches are listed ahead. To list a folder takes as long as to search hundreds of small files.
	batchesMax = threshold.New("many: batches ahead", 128, 1)
)

// task is one input and its answer.
type task struct {
	name   string
	err    error        // why it could not be listed or searched
	bytes  int64        // its size, if singleWorker has taken it into account and it waits for its turn
	report Report       // of FindAll and CountAll
	hits   []answer.Hit // of FindAll, and not passed on yet
	lines  answer.GrepReport
}

// batch is a run of inputs that one worker searches.
type batch struct {
	*many
	first    int64 // number of the first input
	tasks    []task
	answers  answers
	searched int  // tasks
	passed   int  // tasks whose answers were passed on
	together bool // the last task is for all workers, when its turn has come
	held     bool // it is this batch's turn
}

// share gives the tasks after the current one to any worker, because that takes long.
func (b *batch) share() {
	if rest := b.tasks[b.searched+1:]; len(rest) > 0 {
		b.queue.put(&batch{many: b.many, first: b.first + int64(b.searched+1), tasks: rest})
		b.tasks = b.tasks[:b.searched+1]
	}
	b.start(b.many.single.most)
}

// list makes batches of the names, in order. A batch that is in the queue is its worker's, which may give tasks away.
func (m *many) list(names iter.Seq2[string, error]) {
	next, listed := &batch{many: m}, int64(0)
	most := batchFiles.Get()
	for name, err := range names {
		next.tasks = append(next.tasks, task{name: name, err: err})
		listed++
		if len(next.tasks) == most || m.queue.starved() {
			if !m.queue.add(next) {
				return
			}
			next = &batch{many: m, first: listed, tasks: make([]task, 0, most)}
		}
	}
	if len(next.tasks) == 0 || m.queue.add(next) {
		m.listed = listed
		m.queue.end(false)
	}
}

// queue holds the batches that no worker has taken, the first one first. Workers take the first: so the first batch
// that is not finished has a worker, or will be taken by one that has just finished what was before it, and workers may
// wait for the turn of their batch.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	batches []*batch
	workers int          // that run
	idle    atomic.Int32 // workers that wait for a batch
	ended   bool         // no more are listed
}

func newQueue() *queue {
	q := &queue{}
	q.changed.L = &q.mu
	return q
}

// add adds a batch after all others, when there is room. It returns false if the queue has ended.
func (q *queue) add(b *batch) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if most := batchesMax.Get(); len(q.batches) >= most {
		for len(q.batches) > most/2 && !q.ended {
			q.changed.Wait()
		}
	}
	if !q.ended {
		q.batches = append(q.batches, b)
		q.changed.Signal()
	}
	return !q.ended
}

// put adds what is left of a batch that a worker has taken.
func (q *queue) put(b *batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i, _ := slices.BinarySearchFunc(q.batches, b.first, func(b *batch, first int64) int { return int(b.first - first) })
	q.batches = slices.Insert(q.batches, i, b)
	q.changed.Broadcast()
}

// end ends the queue when all names are listed, or at once, without the batches in it.
func (q *queue) end(atOnce bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	if atOnce {
		q.batches = nil
	}
	q.changed.Broadcast()
}

// starved reports whether a worker waits for a batch.
func (q *queue) starved() bool { return q.idle.Load() > 0 }

// join counts a worker that begins, if fewer than that many run.
func (q *queue) join(most int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.workers >= most {
		return false
	}
	q.workers++
	return true
}

// take returns the first batch. When there is none, and no more are listed, it returns nil, and the worker no longer
// counts: whoever puts a batch starts another.
func (q *queue) take() *batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.batches) == 0 {
		if q.ended {
			q.workers--
			return nil
		}
		q.idle.Add(1)
		q.changed.Wait()
		q.idle.Add(-1)
	}
	b := q.batches[0]
	q.batches[0] = nil
	q.batches = q.batches[1:]
	if len(q.batches) == batchesMax.Get()/2 {
		q.changed.Broadcast()
	}
	return b
}
