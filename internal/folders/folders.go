// Package folders compares two folders, and all below them, in the order of the names.
//
// One goroutine lists both and makes batches of their names. Workers compare what the names stand for, each batch by
// one of them. The caller's goroutine passes on what was found, batch by batch, and has files that are big compared by
// all workers together, when their turn has come.
package folders

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/differ"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// Job is a comparison of two folders.
type Job struct {
	Options     options.CompareFolders // what to compare
	Workers     int
	BufferBytes int // of each of the two buffers of a worker
	// Way says how files of a size are compared. Workers call it.
	Way func(bytes int64) Way
	// Files compares two open files, and closes them: all workers of the machine together, or only this goroutine.
	Files func(ctx context.Context, a, b *os.File, together bool) (answer.Comparison, error)
	// Visit gets what differs, in order.
	Visit func([]answer.FolderDifference) error
}

// Way is a way to compare two files.
type Way int

// The ways.
const (
	Read     Way = iota // a worker reads both, a buffer of each at a time
	Alone               // a worker calls Files
	Together            // Files is called when it is the files' turn
)

var (
	// A worker takes so many names at once.
	batchNames = threshold.New("folders: names of a batch", 32, 1)
	// How many batches are listed ahead. Each keeps two folders open.
	batchesMax = threshold.New("folders: batches ahead", 64, 1)
)

// comparison is a job that runs.
type comparison struct {
	*Job
	ctx     context.Context
	fail    func(error) // ends the comparison
	kernel  differ.Kernel
	ordered chan *batch // for the goroutine that passes on what was found
	work    chan *batch // for the workers
	linked  linked
	walked  bool // all of both folders; for after the walk
}

// batch is a run of names in one folder.
type batch struct {
	pair  *pair // nil if there are no tasks
	tasks []task
	found []found
	sum   answer.FolderComparison // what is counted
	done  chan struct{}           // closed when all tasks have been compared
}

// found is a difference, or a task that has to wait for its turn.
type found struct {
	answer.FolderDifference
	later *task
}

// errEnough ends a comparison at its first difference.
var errEnough = errors.New("enough was found")

// Run compares two folders. It returns the error of a folder that cannot be opened, of Visit, or of the context; the
// comparison then holds what was found until then.
func (j *Job) Run(ctx context.Context, a, b string) (answer.FolderComparison, error) {
	top, err := openPair(a, b)
	if err != nil {
		return answer.FolderComparison{}, err
	}
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := &comparison{Job: j, ctx: within, fail: cancel, kernel: differ.Best(),
		ordered: make(chan *batch, batchesMax.Get()), work: make(chan *batch, batchesMax.Get())}
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(c.ordered)
		defer close(c.work)
		c.walked = (&walk{comparison: c}).top(top)
	})
	for range j.Workers {
		wg.Go(func() {
			w := c.worker()
			for b := range c.work {
				w.compareAll(b)
			}
		})
	}
	var total answer.FolderComparison
	turn := c.worker()
	turn.inTurn = true
	for b := range c.ordered {
		<-b.done
		if err == nil {
			if err = turn.pass(b, &total); err != nil {
				cancel(err)
			}
		}
		b.pair.drop()
	}
	wg.Wait()
	if err == nil && !c.walked {
		err = context.Cause(within)
	}
	total.Complete = total.Unread == 0 && err == nil || err == errEnough
	total.Equal = total.Complete && total.OnlyInFirst+total.OnlyInSecond+total.Changed == 0
	switch {
	case err == errEnough:
		err = nil
	case err != nil && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		err = ctx.Err()
	}
	return total, err
}

// compareAll compares the names of a batch.
func (w *worker) compareAll(b *batch) {
	defer close(b.done)
	w.batch = b
	for i := range b.tasks {
		if w.ctx.Err() != nil {
			return // nothing more is passed on
		}
		w.compare(&b.tasks[i])
	}
}

// pass passes on what was found in a batch, and counts it.
func (w *worker) pass(b *batch, total *answer.FolderComparison) error {
	if err := context.Cause(w.ctx); err != nil {
		return err
	}
	own := &batch{pair: b.pair, sum: b.sum}
	w.batch = own
	defer func() { add(total, &own.sum) }()
	for _, f := range b.found {
		if f.later == nil {
			own.found = append(own.found, f)
			continue
		}
		if err := w.visit(own); err != nil {
			return err
		}
		w.compare(f.later)
		if err := context.Cause(w.ctx); err != nil {
			return err
		}
	}
	return w.visit(own)
}

// visit passes on the differences of a batch.
func (w *worker) visit(b *batch) error {
	if len(b.found) == 0 {
		return nil
	}
	differences := make([]answer.FolderDifference, 0, len(b.found))
	enough := false
	for _, f := range b.found {
		differences = append(differences, f.FolderDifference)
		if enough = w.Options.First && f.Kind != answer.NotCompared; enough {
			break
		}
	}
	b.found = b.found[:0]
	if err := w.Visit(differences); err != nil || !enough {
		return err
	}
	return errEnough
}

// add adds what was counted of a part.
func add(total, part *answer.FolderComparison) {
	total.Folders += part.Folders
	total.Files += part.Files
	total.OnlyInFirst += part.OnlyInFirst
	total.OnlyInSecond += part.OnlyInSecond
	total.Changed += part.Changed
	total.Unread += part.Unread
	total.Bytes += part.Bytes
	total.Skipped += part.Skipped
	total.Cached += part.Cached
}

// linked remembers what was found of files with several names on both sides.
type linked struct {
	mu    sync.Mutex
	pairs map[[2]source.FileID]outcome
}

// linkedMax bounds how many are remembered: some 10 MB. Others are compared again.
var linkedMax = threshold.New("folders: pairs of linked files that are remembered", 100_000, 1)

func (l *linked) get(ids [2]source.FileID) (outcome, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o, ok := l.pairs[ids]
	return o, ok
}

func (l *linked) put(ids [2]source.FileID, o outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pairs == nil {
		l.pairs = map[[2]source.FileID]outcome{}
	}
	if len(l.pairs) < linkedMax.Get() {
		l.pairs[ids] = o
	}
}
