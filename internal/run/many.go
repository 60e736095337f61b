package run

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/receipt"
)

// Callbacks receives the answers about many files. The public package documents the fields.
type Callbacks struct {
	Hits     func(name string, hits []answer.Hit) error
	Begin    func(in *Input)
	Done     func(name string, report Report, err error) error
	Vanished func(name string, err error) bool
	Stdin    *os.File
	FS       fs.FS
	Remote   func(name string) (*Input, error)
	Raw      bool
	Archives bool
	First    *Input // of TableAll: the input of the first name, if it is open already
}

// Open opens an input by name.
func (v *Callbacks) Open(name string) (*Input, error) {
	if v.isRemote(name) {
		return v.Remote(name)
	}
	if name != standardInput {
		if v.FS != nil {
			return OpenFS(v.FS, name, v.Raw)
		}
		return Open(name, v.Raw)
	}
	in := v.Stdin
	if in == nil {
		in = os.Stdin
	}
	return FromFile(name, in, v.Raw)
}

// isRemote reports whether a name is opened by Remote.
func (v *Callbacks) isRemote(name string) bool { return v.Remote != nil && source.IsRemote(name) }

// source opens the file of an archive.
func (v *Callbacks) source(name string) (*source.File, error) {
	if v.FS != nil {
		return sourceFS(v.FS, name)
	}
	return source.Open(name)
}

// standardInput is the name of the standard input.
const standardInput = "-"

// many is one question on many inputs. A goroutine lists their names, workers take batches of them, and search small
// files in memory. The turn goes from batch to batch in the order of the names: the worker that has it passes answers
// on, and searches what all workers are to search together.
type many struct {
	ctx       context.Context
	cancel    func()
	options   Options
	callbacks Callbacks
	begin     func() func(*batch) answers // by each worker, for its batches
	workers   int                         // that open and read small files
	smallMax  int                         // bytes of a small file
	queue     *queue
	turns     *scan.Handoff[struct{}] // by number of a batch's first input
	left      atomic.Int64            // batches that wait for their turn without a worker
	single    singleWorker
	keep      keepBudget
	listed    int64 // inputs; -1 until all are
	wg        sync.WaitGroup
	stop      atomic.Bool // true when the search has failed, or the context has ended

	mu  sync.Mutex
	err error // the first

	// For the worker that has the turn:
	total      receipt.Receipt // of the inputs passed on so far
	smallBytes int64           // of small files, in total
}

// answers are a question's answers for the inputs of a batch. Small and input search: they keep the answer in the task,
// or wait for the batch's turn and pass on what they find at once. An error that they return ends the run.
type answers interface {
	small(t *task, w *whole) error
	input(t *task, in *Input, o Options) error
	// pass passes on what is kept of a task that was searched. It is the batch's turn.
	pass(t *task) error
}

// workersEach is how many workers share a processor. Most of a small file's time is spent in system calls, at whose
// ends a goroutine may find its place taken; with one more that can run, no processor is idle then.
const workersEach = 2

// run searches all inputs and returns the receipt of all together, whose wall comes from counters alone, because there
// is no single file to probe.
func (m *many) run(ctx context.Context, names iter.Seq2[string, error], kernel string) (receipt.Receipt, error) {
	o := &m.options
	if err := errors.Join(cpu.Err(), o.check()); err != nil {
		return receipt.Receipt{}, err
	}
	watch := startWatch(o.Receipt)
	o.Receipt = false // of each file
	m.ctx, m.cancel = context.WithCancel(ctx)
	defer m.cancel()
	m.queue, m.turns, m.listed = newQueue(), scan.NewHandoff(0, struct{}{}), -1
	defer context.AfterFunc(m.ctx, func() {
		m.stop.Store(true)
		m.queue.end(true)
	})()
	if m.workers = o.Workers; m.workers == 0 {
		m.workers = workersEach * max(runtime.GOMAXPROCS(0), 1)
		if c, err := limits.Load("."); err == nil {
			m.workers = max(m.workers, c.BestOpeners())
		}
	}
	m.single.most = singleMost(o)
	m.smallMax = smallMost(o, max(m.workers, m.single.most))
	m.wg.Go(func() { m.list(names) })
	for range m.workers {
		m.start(m.workers)
	}
	m.wg.Wait()
	if _, all := m.turns.Try(m.listed); !all && m.err == nil {
		m.err = m.ctx.Err()
	}
	if m.smallBytes > 0 {
		m.total.Use(receipt.EngineUse{Engine: plan.Pread, Workers: m.workers, Bytes: m.smallBytes})
	}
	m.total.Kernel = kernel
	receipt, err := watch.manyReceipt(m.total)
	return receipt, errors.Join(m.err, err)
}

// start starts a worker if fewer than that many run.
func (m *many) start(most int) {
	if m.queue.join(most) {
		m.wg.Go(m.work)
	}
}

// work searches batches until there are none left.
func (m *many) work() {
	w := &worker{reader: source.NewSmallReader(m.smallMax)}
	defer w.reader.Close()
	answers := m.begin()
	for b := m.queue.take(); b != nil; b = m.queue.take() {
		b.answers = answers(b)
		err := b.search(w)
		if err == nil && b.leave() {
			continue
		}
		if !b.finish(err) {
			return
		}
	}
}

// fail ends the search and keeps the first error.
func (m *many) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.err = err
	}
	m.stop.Store(true)
	m.cancel()
}

// batchesLeft is how many batches may wait for one before them without a worker. Each has some answers.
var batchesLeft = threshold.New("many: batches that wait for one before them", 32, 1)

// leave leaves the end of a batch whose turn has not come to the worker that will have the turn before, so that
// this one need not wait. It returns false if the worker is to end the batch itself.
func (b *batch) leave() bool {
	if b.held || b.left.Load() >= int64(batchesLeft.Get()) {
		return false
	}
	b.left.Add(1)
	_, ok := b.turns.Leave(b.first, func(struct{}) {
		b.left.Add(-1)
		b.held = true
		b.finish(nil)
	})
	if !ok {
		return true
	}
	b.left.Add(-1)
	b.held = true
	return false
}

// finish passes on the answers of a batch, and hands the turn on. It returns false if the search has failed.
func (b *batch) finish(err error) bool {
	if err == nil {
		err = b.catchUp()
	}
	if err == nil && b.together {
		err = b.searchTogether(&b.tasks[b.searched])
	}
	if err != nil {
		b.fail(err)
		return false
	}
	b.turns.Put(b.first+int64(len(b.tasks)), struct{}{})
	return true
}

// wait waits for the batch's turn.
func (b *batch) wait() error {
	if b.held {
		return nil
	}
	if _, b.held = b.turns.Take(b.first, &b.stop); b.held {
		return nil
	}
	if err := b.ctx.Err(); err != nil {
		return err
	}
	return context.Canceled // by an error that fail has kept
}

// catchUp passes on the answers of the inputs that were searched, in the batch's turn.
func (b *batch) catchUp() error {
	if err := b.wait(); err != nil {
		return err
	}
	for ; b.passed < b.searched; b.passed++ {
		if err := b.answers.pass(&b.tasks[b.passed]); err != nil {
			return err
		}
	}
	return nil
}

// account adds an input of so many bytes to the receipt. It returns false for one that has vanished, which is as if it
// had not been listed.
func (m *many) account(t *task, bytes int64, r *receipt.Receipt) bool {
	if t.err != nil && m.callbacks.Vanished != nil && m.callbacks.Vanished(t.name, t.err) {
		return false
	}
	if len(r.Engines) > 0 {
		addFile(&m.total, *r)
	} else {
		m.total.Bytes += bytes
		m.smallBytes += bytes
	}
	return true
}
