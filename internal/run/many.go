package run

import (
	"context"
	"errors"
	"iter"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/search/count"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Files yields the files that arguments name: with recursive the regular files below a
// folder, in the order of their names; the matches of a pattern that is no file's name;
// otherwise the argument. What cannot be listed is yielded with its error.
func Files(args []string, recursive bool) iter.Seq2[string, error] {
	return source.Expand(args, recursive)
}

// Listing is the files that arguments name, as Files yields them. It also knows what was
// passed over below folders, and which files have been removed since they were found.
type Listing = source.Listing

// NewListing returns the listing for arguments, which Files alone would do for as well.
func NewListing(args []string, recursive bool) *Listing { return source.NewListing(args, recursive) }

// Visitor takes the answers of FindAll. Its functions are called by one goroutine, file
// by file in the order of the names; an error ends the search and is returned.
type Visitor struct {
	Hits func(name string, hits []Hit) error
	// Begin is called with each input that is not small, before its hits. It is open until
	// Done. May be nil.
	Begin func(in *Input)
	// Done ends a file. err says why it could not be opened or searched to its end.
	Done func(name string, report Report, err error) error
	// Vanished says of a file that could not be opened whether that is nobody's mistake; it
	// then is as if it had not been listed. Nil means that it never is.
	Vanished func(name string, err error) bool
	// Stdin is what the name "-" stands for; nil means that of the process.
	Stdin *os.File
	// Raw leaves compressed files as they are.
	Raw bool
	// Archives searches zip archives like folders: each member is an input of its own, named
	// "archive.zip:member". Without it an archive is an *ArchiveError.
	Archives bool
}

// FindAll searches many files. Small ones are searched by a worker each, big ones by all
// workers together; the answers come in the order of the names either way. A range that
// reaches over the end of a file is searched as far as the file goes.
//
// The receipt is that of all files together. Its wall comes from counters alone: there is
// no one file to probe.
func FindAll(ctx context.Context, names iter.Seq2[string, error], q *Query, o Options, v Visitor) (Receipt, error) {
	if q.selector == nil {
		return Receipt{}, ErrOnlyCounted
	}
	return overAll(ctx, names, &tree{query: q, options: o, visitor: v})
}

// CountAll counts in many files, as FindAll finds in them. Visitor.Hits is not called. The
// report is the total; it is complete when all files could be opened and counted.
func CountAll(ctx context.Context, names iter.Seq2[string, error], q *Query, o Options, v Visitor) (Report, error) {
	o.Limit = 0
	t := &tree{query: q, options: o, visitor: v, count: true}
	receipt, err := overAll(ctx, names, t)
	total := Report{Bytes: receipt.Bytes, Skipped: receipt.Skipped, Receipt: receipt,
		Complete: err == nil && !t.incomplete}
	err = errors.Join(err, q.counter.Total(&t.sum))
	total.show(&t.sum)
	return total, err
}

func overAll(ctx context.Context, names iter.Seq2[string, error], t *tree) (Receipt, error) {
	o := &t.options
	if err := errors.Join(cpu.Err(), o.check()); err != nil {
		return Receipt{}, err
	}
	watch := startWatch(o.Receipt)
	o.Receipt = false // of each file
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.ctx, t.inOrder, t.toDo = ctx, make(chan *batch, batchesMax.Get()), make(chan *batch, batchesMax.Get())
	defer context.AfterFunc(ctx, func() { t.stop.Store(true) })()
	var wg sync.WaitGroup
	wg.Go(func() { t.list(names) })
	t.openers = t.mostOpeners()
	for range t.openers {
		wg.Go(t.work)
	}
	err := t.merge()
	cancel() // lets go the lister and workers that wait
	wg.Wait()
	if t.smallBytes > 0 {
		t.total.Engines = addUse(t.total.Engines, EngineUse{plan.Pread, t.openers, t.smallBytes})
	}
	t.total.Kernel, t.total.KernelOrigin = t.query.Kernel(), t.query.traits().Origin
	receipt, werr := watch.treeReceipt(t.total)
	return receipt, errors.Join(err, werr)
}

var (
	// A worker gets so many files at once while the others have something to do.
	batchFiles = threshold.New("tree: files of a batch", 64, 1)
	// How many batches the workers may be ahead of the one whose answers are passed on.
	batchesMax = threshold.New("tree: batches ahead", 32, 1)
	// A file up to that size is read and searched by one worker in one go.
	smallBytesMax = threshold.New("tree: small file", 256<<10, 1)
	// A compressed file up to that size is decompressed by one worker.
	packedSmallBytesMax = threshold.New("tree: small compressed file", 4<<20, 1)
	// Hits that a task holds back before it waits for its turn.
	taskHitsMax = threshold.New("tree: hits held back", 4096, 1)
)

// task is one file on its way through the tree.
type task struct {
	name   string
	err    error // why it could not be listed or searched
	big    bool
	hits   []Hit
	report Report
}

// batch is some files that one worker looks at.
type batch struct {
	tasks []task
	turn  chan struct{} // closed when the batch's answers are passed on next
	done  chan struct{} // closed when the worker has finished
	more  chan handed   // hits beyond taskHitsMax
}

// handed is hits of a task of a batch, of which those before it are finished.
type handed struct {
	task int
	hits []Hit
}

type tree struct {
	query         *Query
	options       Options
	visitor       Visitor
	count         bool // how often, not where
	ctx           context.Context
	inOrder, toDo chan *batch
	openers       int         // workers that open and read small files
	stop          atomic.Bool // true when the context has ended
	total         Receipt     // of the files passed on so far
	smallBytes    int64       // of small files, in total
	// Of counts.
	sum        count.Result
	incomplete bool
}

// mostOpeners returns how many files are opened at once: as many as this machine was
// measured to open fastest, which may be fewer than it has cores.
func (t *tree) mostOpeners() int {
	if t.options.Workers > 0 {
		return t.options.Workers
	}
	if c, err := limits.Load("."); err == nil && c.BestOpeners() > 0 {
		return c.BestOpeners()
	}
	return max(runtime.GOMAXPROCS(0), 1)
}

// list makes batches of the names, in order. It does not wait for a batch to be full while
// a worker has nothing to do, and ends one with what is named like a compressed file, which is
// work enough.
func (t *tree) list(names iter.Seq2[string, error]) {
	defer close(t.inOrder)
	defer close(t.toDo)
	var tasks []task
	most := batchFiles.Get()
	for name, err := range names {
		tasks = append(tasks, task{name: name, err: err})
		_, packed := decompress.ByName(name)
		if len(tasks) == most || len(t.toDo) == 0 || packed {
			if !t.send(tasks) {
				return
			}
			tasks = make([]task, 0, most)
		}
	}
	if len(tasks) > 0 {
		t.send(tasks)
	}
}

// send hands a batch to the workers. It returns false when there is no use in more.
func (t *tree) send(tasks []task) bool {
	b := &batch{tasks, make(chan struct{}), make(chan struct{}), make(chan handed)}
	for _, queue := range []chan *batch{t.inOrder, t.toDo} {
		select {
		case queue <- b:
		case <-t.ctx.Done():
			return false
		}
	}
	return true
}

// merge passes the answers on in order. Big files are searched here, when their turn
// comes, by as many workers as the plan gives them.
func (t *tree) merge() error {
	for {
		select {
		case <-t.ctx.Done():
			return t.ctx.Err()
		case b, ok := <-t.inOrder:
			if !ok {
				return nil
			}
			if err := t.passBatch(b); err != nil {
				return err
			}
		}
	}
}

func (t *tree) passBatch(b *batch) error {
	close(b.turn)
	passed := 0
	upTo := func(end int) error {
		for ; passed < end; passed++ {
			if err := t.pass(&b.tasks[passed]); err != nil {
				return err
			}
		}
		return nil
	}
	for {
		select {
		case <-t.ctx.Done():
			return t.ctx.Err()
		case <-b.done:
			return upTo(len(b.tasks))
		case more := <-b.more:
			err := upTo(more.task)
			if err == nil {
				err = t.visitor.Hits(b.tasks[more.task].name, more.hits)
			}
			if err != nil {
				return err
			}
		}
	}
}

// pass passes on the answers of a file. One that nobody looked at, or not to its end, because
// the context ended has none.
func (t *tree) pass(next *task) error {
	if next.err != nil && t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	if next.big {
		return t.passBig(next.name)
	}
	if len(next.hits) > 0 {
		if err := t.visitor.Hits(next.name, next.hits); err != nil {
			return err
		}
	}
	if len(next.report.Receipt.Engines) > 0 {
		for i := range next.report.Receipt.Engines { // of a compressed file
			next.report.Receipt.Engines[i].Workers = t.openers
		}
		t.total.add(next.report.Receipt)
	} else {
		t.total.Bytes += next.report.Bytes
		t.smallBytes += next.report.Bytes
	}
	return t.done(next.name, next.report, next.err)
}

// done ends a file.
func (t *tree) done(name string, r Report, err error) error {
	if err != nil && t.visitor.Vanished != nil && t.visitor.Vanished(name, err) {
		return nil
	}
	t.incomplete = t.incomplete || err != nil || !r.Complete
	if t.count && r.result != nil {
		if err := t.sum.Add(r.result); err != nil {
			return err
		}
	}
	return t.visitor.Done(name, r, err)
}

// passBig searches a file with all workers and passes its hits on as they come.
func (t *tree) passBig(name string) error {
	in, err := t.visitor.open(name)
	var archive *ArchiveError
	switch {
	case errors.As(err, &archive) && t.visitor.Archives && archive.Members != "":
		return t.passArchive(name)
	case err != nil:
		return t.done(name, Report{}, err)
	}
	return t.passInput(in)
}

// passArchive searches the members of an archive one after the other.
func (t *tree) passArchive(name string) error {
	f, err := source.Open(name)
	if err != nil {
		return t.done(name, Report{}, err)
	}
	members, err := decompress.AllMembers(f.OS(), f.Bytes)
	if err != nil {
		return t.done(name, Report{}, errors.Join(&FormatError{name, err}, f.Close()))
	}
	for m, err := range members {
		full := name + ":" + m.Name
		if err != nil {
			err = t.done(full, Report{}, &MemberError{name, m.Name, err})
		} else {
			in := inArchive(f, full, m.Member)
			in.borrowed = true
			err = t.passInput(in)
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

// passInput searches an input with all workers, and closes it.
func (t *tree) passInput(in *Input) error {
	name := in.Name()
	if t.visitor.Begin != nil {
		t.visitor.Begin(in)
	}
	o := t.options
	if n, ok := in.Bytes(); ok {
		o.Offset = min(o.Offset, n)
		length := n - o.Offset
		if o.Length != nil {
			length = min(length, *o.Length)
		}
		o.Length = &length
	}
	var failed error // of the visitor, which ends everything
	ask := Count
	if !t.count {
		ask = func(ctx context.Context, in *Input, q *Query, o Options) (Report, error) {
			return Find(ctx, in, q, o, func(hits []Hit) error {
				failed = t.visitor.Hits(name, hits)
				return failed
			})
		}
	}
	report, err := ask(t.ctx, in, t.query, o)
	err = errors.Join(err, in.Close())
	t.total.add(report.Receipt)
	if failed != nil {
		return failed
	}
	return t.done(name, report, err)
}

// standardInput is the name that stands for it.
const standardInput = "-"
