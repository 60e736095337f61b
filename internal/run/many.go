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

	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/search/count"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Visitor receives the answers about many files. The public package documents the fields.
type Visitor struct {
	Hits     func(name string, hits []Hit) error
	Begin    func(in *Input)
	Done     func(name string, report Report, err error) error
	Vanished func(name string, err error) bool
	Stdin    *os.File
	FS       fs.FS
	Remote   func(name string) (*Input, error)
	Raw      bool
	Archives bool
}

// open opens an input by name.
func (v *Visitor) open(name string) (*Input, error) {
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
func (v *Visitor) isRemote(name string) bool { return v.Remote != nil && source.IsRemote(name) }

// source opens the file of an archive.
func (v *Visitor) source(name string) (*source.File, error) {
	if v.FS != nil {
		return sourceFS(v.FS, name)
	}
	return source.Open(name)
}

// standardInput is the name of the standard input.
const standardInput = "-"

// FindAll searches many files: small ones by one worker each, big ones by all workers together.
// The answers come in the order of the names. A range that reaches beyond the end of a file is
// searched as far as the file goes.
//
// The report is the total; it is complete if all files could be opened and searched. Its receipt is
// that of all files together, whose wall comes from counters alone, because there is
// no single file to probe.
func FindAll(ctx context.Context, names iter.Seq2[string, error], q *Query, o Options, v Visitor) (Report, error) {
	if q.selector == nil {
		return Report{}, ErrOnlyCounted
	}
	m := &manyRun{query: q, options: o, visitor: v}
	receipt, err := searchAll(ctx, names, m)
	return Report{Hits: m.hits, Bytes: receipt.Bytes, Skipped: receipt.Skipped, Receipt: receipt,
		Complete: err == nil && !m.incomplete}, err
}

// CountAll counts in many files, as FindAll searches them. Visitor.Hits is not called. The
// report is the total; it is complete if all files could be opened and counted.
func CountAll(ctx context.Context, names iter.Seq2[string, error], q *Query, o Options, v Visitor) (Report, error) {
	o.Limit = 0
	t := &manyRun{query: q, options: o, visitor: v, count: true}
	receipt, err := searchAll(ctx, names, t)
	total := Report{Bytes: receipt.Bytes, Skipped: receipt.Skipped, Receipt: receipt,
		Complete: err == nil && !t.incomplete}
	err = errors.Join(err, q.counter.Total(&t.sum))
	total.show(&t.sum)
	return total, err
}

// searchAll runs the question on all files.
func searchAll(ctx context.Context, names iter.Seq2[string, error], m *manyRun) (Receipt, error) {
	o := &m.options
	if err := errors.Join(cpu.Err(), o.check()); err != nil {
		return Receipt{}, err
	}
	watch := startWatch(o.Receipt)
	o.Receipt = false // of each file
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m.ctx, m.inOrder, m.toDo = ctx, make(chan *batch, batchesMax.Get()), make(chan *batch, batchesMax.Get())
	defer context.AfterFunc(ctx, func() { m.stop.Store(true) })()
	m.wg.Go(func() { m.list(names) })
	m.openers = m.mostOpeners()
	m.alone.most = aloneMost(o)
	m.smallMax = smallMost(o, max(m.openers, m.alone.most))
	m.rests.offered = make(chan struct{}, 1)
	for range m.openers {
		m.start(m.openers)
	}
	err := m.merge()
	cancel() // ends the goroutines that still list or search
	m.wg.Wait()
	if m.smallBytes > 0 {
		m.total.Engines = addUse(m.total.Engines, EngineUse{plan.Pread, m.openers, m.smallBytes})
	}
	m.total.Kernel, m.total.KernelOrigin = m.query.Kernel(), m.query.traits().Origin
	receipt, werr := watch.manyReceipt(m.total)
	return receipt, errors.Join(err, werr)
}

var (
	// A file up to this size is read and searched by one worker in one go. Mapping it would take longer:
	// 1,000 files of 1 MB took 0.17 s, and read in one go 0.10 s.
	smallBytesMax = threshold.New("many: small file", 1<<20, 1)
	// A file up to this size may be searched by one worker while the others search other files.
	aloneFileBytesMax = threshold.New("many: file for one worker", 64<<20, 1)
	// A compressed file up to this size is decompressed by one worker.
	compressedSmallBytesMax = threshold.New("many: small compressed file", 4<<20, 1)
	// A worker keeps this many hits of a file before it waits for the file's turn.
	taskHitsMax = threshold.New("many: hits held back", 4096, 1)
)

// manyRun is one question on many files. One goroutine lists names into batches, workers search
// the small files of a batch, and the caller's goroutine passes the answers on in order and searches
// the big files.
type manyRun struct {
	query         *Query
	options       Options
	visitor       Visitor
	count         bool // how often, not where
	ctx           context.Context
	inOrder, toDo chan *batch
	openers       int // workers that open and read small files
	smallMax      int // bytes of a small file
	wg            sync.WaitGroup
	alone         alone
	rests         rests
	keep          keepBudget
	stop          atomic.Bool // true when the context has ended
	total         Receipt     // of the files passed on so far
	smallBytes    int64       // of small files, in total
	hits          int64       // in all files
	// Of counts.
	sum        count.Result
	incomplete bool
}

// neutral reports whether small files, too, leave the page cache as it was.
func (m *manyRun) neutral() bool { return m.keep.policy(&m.options, 0) == CacheNeutral }

// mostOpeners returns how many workers open files: the number that was measured to be fastest on
// this machine, which may be less than its cores.
func (m *manyRun) mostOpeners() int {
	if m.options.Workers > 0 {
		return m.options.Workers
	}
	if c, err := limits.Load("."); err == nil && c.BestOpeners() > 0 {
		return c.BestOpeners()
	}
	return max(runtime.GOMAXPROCS(0), 1)
}

// merge passes the answers on in order. It searches big files when their turn has come, with as
// many workers as the plan decides.
func (m *manyRun) merge() error {
	for {
		select {
		case <-m.ctx.Done():
			return m.ctx.Err()
		case b, ok := <-m.inOrder:
			if !ok {
				return nil
			}
			for ; b != nil; b = b.rest {
				if err := m.passBatch(b); err != nil {
					return err
				}
			}
		}
	}
}

func (m *manyRun) passBatch(b *batch) error {
	close(b.turn)
	passed := 0
	upTo := func(end int) error {
		for ; passed < end; passed++ {
			if err := m.pass(&b.tasks[passed]); err != nil {
				return err
			}
		}
		return nil
	}
	for {
		select {
		case <-m.ctx.Done():
			return m.ctx.Err()
		case <-b.done:
			return upTo(b.searched)
		case more := <-b.more:
			err := upTo(more.task)
			if err == nil {
				err = m.visitor.Hits(b.tasks[more.task].name, more.hits)
			}
			if err != nil {
				return err
			}
		}
	}
}

// pass passes on the answers of a file. A file that was not searched to its end because the context
// ended has none.
func (m *manyRun) pass(next *task) error {
	if next.err != nil && m.ctx.Err() != nil {
		return m.ctx.Err()
	}
	if next.big {
		defer m.alone.passed(next.bigBytes)
		return m.passBig(next.name)
	}
	if len(next.hits) > 0 {
		if err := m.visitor.Hits(next.name, next.hits); err != nil {
			return err
		}
	}
	if len(next.report.Receipt.Engines) > 0 {
		for i := range next.report.Receipt.Engines { // of a compressed file
			next.report.Receipt.Engines[i].Workers = m.openers
		}
		m.total.add(next.report.Receipt)
	} else {
		m.total.Bytes += next.report.Bytes
		m.smallBytes += next.report.Bytes
	}
	return m.finish(next.name, next.report, next.err)
}

// finish reports the end of a file.
func (m *manyRun) finish(name string, r Report, err error) error {
	if err != nil && m.visitor.Vanished != nil && m.visitor.Vanished(name, err) {
		return nil
	}
	m.incomplete = m.incomplete || err != nil || !r.Complete
	m.hits += r.Hits
	if m.count && r.result != nil {
		if err := m.sum.Add(r.result); err != nil {
			return err
		}
	}
	return m.visitor.Done(name, r, err)
}

// passBig searches a file with all workers and passes its hits on as they are found.
func (m *manyRun) passBig(name string) error {
	in, err := m.visitor.open(name)
	var archive *ArchiveError
	switch {
	case errors.As(err, &archive) && m.visitor.Archives && archive.Members != "":
		return m.passArchive(name)
	case err != nil:
		return m.finish(name, Report{}, err)
	}
	return m.passInput(in)
}

// passArchive searches the members of an archive one after the other.
func (m *manyRun) passArchive(name string) error {
	return eachMember(&m.visitor, name, m.passInput, func(name string, err error) error {
		return m.finish(name, Report{}, err)
	})
}

// eachMember calls pass with the members of an archive, and fail for what cannot be read.
func eachMember(v *Visitor, name string, pass func(*Input) error, fail func(name string, err error) error) error {
	f, err := v.source(name)
	if err != nil {
		return fail(name, err)
	}
	members, err := decompress.AllMembers(f, f.Bytes)
	if err != nil {
		return fail(name, errors.Join(&FormatError{name, err}, f.Close()))
	}
	for member, err := range members {
		full := name + ":" + member.Name
		if err != nil {
			err = fail(full, &MemberError{name, member.Name, err})
		} else {
			in := memberInput(f, full, member.Member)
			in.borrowed = true
			err = pass(in)
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

// passInput searches an input with all workers, and closes it.
func (m *manyRun) passInput(in *Input) error {
	name := in.Name()
	if m.visitor.Begin != nil {
		m.visitor.Begin(in)
	}
	o := m.options
	o.Cache = m.keep.policy(&o, in.bytesRead(&o))
	if n, ok := in.Bytes(); ok {
		o.clip(n)
	}
	var failed error // the visitor's error, which ends the run
	ask := Count
	if !m.count {
		ask = func(ctx context.Context, in *Input, q *Query, o Options) (Report, error) {
			return Find(ctx, in, q, o, func(hits []Hit) error {
				failed = m.visitor.Hits(name, hits)
				return failed
			})
		}
	}
	report, err := ask(m.ctx, in, m.query, o)
	err = errors.Join(err, in.Close())
	m.total.add(report.Receipt)
	if failed != nil {
		return failed
	}
	return m.finish(name, report, err)
}
