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
	"github.com/thresh-dev/thresh/internal/input/decompress"
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
	watch := startWatch(o.Receipt).followMemory()
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
	receipt, err := watch.manyReceipt(m.total, o.MemoryBytes)
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

// singleWorker decides which big files a worker searches by itself, before their turn.
//
// Of a plain file all workers together lose time at its start and at its end, where the storage has
// little to read and some of them wait for the others: with files of 10 MB, a third of the time. On a
// compressed file of one member they gain little, and much on one of many members; which of them a
// file is shows only at its end. So one worker gets a file if the others that were met are enough
// work for the other workers meanwhile: if they are at least half as big in all. The first one is left
// for its turn, and so is one that is bigger than all before it, and a plain one that is so big that
// its start and its end hardly matter.
type singleWorker struct {
	most           int  // files at once
	compressedOnly bool // what is found in a plain file may be as much as the file

	mu    sync.Mutex
	bytes int64 // of big files that are not finished
	files int   // that one worker searches
}

// singleFileBytesMax is the size up to which a plain file may be searched by one worker while the others search other
// files.
var singleFileBytesMax = threshold.New("many: file for one worker", 64<<20, 1)

// singleBytes is the memory of one such search: a decompressor, a piece and its context, and hits.
const singleBytes = 8 << 20

// singleFiles is how many files have a worker of their own at once on few processors. While some of the workers
// open and close files, the storage has work by the others.
const singleFiles = 4

// singleMost returns how many files may have a worker of their own: one a core, as far as half of the
// memory bound goes. The other half is for the file whose turn it is.
func singleMost(o *Options) int {
	workers, bytes := o.Workers, o.MemoryBytes
	if workers == 0 {
		workers = max(runtime.GOMAXPROCS(0), singleFiles)
	}
	if bytes == 0 {
		bytes = memoryDefault
	}
	return int(min(int64(workers), bytes/2/singleBytes))
}

// take reports whether one worker is to search a file. Finish or passed must follow when it was searched.
func (a *singleWorker) take(f decompress.Format, bytes int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	others := a.bytes
	a.bytes += bytes
	if !a.suits(f, bytes) || others == 0 || bytes/2 > others || a.files >= a.most {
		return false
	}
	a.files++
	return true
}

// suits reports whether a plain file is small enough, and whether a decompressor's memory is bounded: one that is not
// needs the memory that one search has.
func (a *singleWorker) suits(f decompress.Format, bytes int64) bool {
	if f == decompress.Plain {
		return !a.compressedOnly && bytes <= int64(singleFileBytesMax.Get())
	}
	return f.Bounded()
}

// finish ends such a search.
func (a *singleWorker) finish(bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bytes -= bytes
	a.files--
}

// passed ends the search of a file in its turn.
func (a *singleWorker) passed(bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bytes -= bytes
}
