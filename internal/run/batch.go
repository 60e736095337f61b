package run

import (
	"iter"

	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/threshold"
)

var (
	// A worker gets this many files at once while the others are busy.
	batchFiles = threshold.New("many: files of a batch", 64, 1)
	// How many batches the workers may be ahead of the one whose answers are passed on.
	batchesMax = threshold.New("many: batches ahead", 32, 1)
)

// task is one file and its answers.
type task struct {
	name string
	err  error // why it could not be listed or searched
	big  bool  // to be searched by all workers, when its turn has come
	// Of a big file: its size, if alone has taken it into account.
	bigBytes int64
	hits     []Hit
	report   Report
}

// batch is a number of files that one worker searches.
type batch struct {
	tasks []task
	turn  chan struct{} // closed when the answers of the batch are next to be passed on
	done  chan struct{} // closed when the worker has finished
	more  chan handed   // hits beyond taskHitsMax
	// Set before done is closed:
	searched int    // how many of the tasks this batch has kept
	rest     *batch // the others; nil if it has kept all
}

func newBatch(tasks []task) *batch {
	return &batch{tasks: tasks, turn: make(chan struct{}), done: make(chan struct{}), more: make(chan handed)}
}

// handed is the first hits of an unfinished task. The tasks before it are finished.
type handed struct {
	task int
	hits []Hit
}

// list makes batches of the names, in order. It sends an unfinished batch if a worker is idle, and
// ends a batch with a compressed file, which is enough work by itself.
func (m *manyRun) list(names iter.Seq2[string, error]) {
	defer close(m.inOrder)
	defer close(m.toDo)
	var tasks []task
	most := batchFiles.Get()
	for name, err := range names {
		tasks = append(tasks, task{name: name, err: err})
		_, compressed := decompress.ByName(name)
		if len(tasks) == most || len(m.toDo) == 0 || compressed {
			if !m.send(tasks) {
				return
			}
			tasks = make([]task, 0, most)
		}
	}
	if len(tasks) > 0 {
		m.send(tasks)
	}
}

// send gives a batch to the workers. It returns false if the run has ended.
func (m *manyRun) send(tasks []task) bool {
	b := newBatch(tasks)
	for _, queue := range []chan *batch{m.inOrder, m.toDo} {
		select {
		case queue <- b:
		case <-m.ctx.Done():
			return false
		}
	}
	return true
}
