package run

import (
	"context"
	"errors"
	"io"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// GrepAll searches many inputs for lines, and prints them in the order of the names. Workers take batches of
// names and search small files in memory. A turn goes from batch to batch: its holder writes, and searches
// the other files with all workers.
//
// Done is called for each input, in order, by one goroutine at a time, and may write to out, too. Of v,
// the function for hits is not used.
func GrepAll(ctx context.Context, names iter.Seq2[string, error], q *grep.Query, out io.Writer, spec grep.Options,
	o Options, v Visitor, done func(name string, r GrepReport, err error) error) (Receipt, error) {
	if err := errors.Join(cpu.Err(), o.check()); err != nil {
		return Receipt{}, err
	}
	watch := startWatch(o.Receipt)
	o.Receipt = false // of each file
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next, stop := iter.Pull2(names)
	g := &grepMany{ctx: ctx, cancel: cancel, query: q, out: &grep.Output{Writer: out}, spec: spec, options: o, visitor: v,
		done: done, next: next, turns: scan.NewHandoff(0, struct{}{})}
	defer context.AfterFunc(ctx, func() { g.stop.Store(true) })()
	workers := o.Workers
	if workers == 0 {
		workers = workersEach * max(runtime.GOMAXPROCS(0), 1)
		if c, err := limits.Load("."); err == nil {
			workers = max(workers, c.BestOpeners())
		}
	}
	g.smallMax = smallMost(&g.options, workers)
	g.ahead = make(chan *grepBatch, 1)
	if workers > 1 {
		g.ahead = make(chan *grepBatch, workers*batchesAhead.Get())
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(g.work)
	}
	wg.Wait()
	stop()
	if g.err == nil {
		g.err = ctx.Err()
	}
	if g.smallBytes > 0 {
		g.total.Engines = addUse(g.total.Engines, EngineUse{plan.Pread, workers, g.smallBytes})
	}
	g.total.Kernel, g.total.KernelOrigin = q.Kernel(), q.Traits().Origin
	receipt, err := watch.manyReceipt(g.total)
	return receipt, errors.Join(g.err, err)
}

// workersEach is how many workers share a processor. Most of a small file's time is spent in system calls, at whose
// ends a goroutine may find its place taken; with one more that can run, no processor is idle then.
const workersEach = 2

// grepMany is one search in many inputs.
type grepMany struct {
	ctx      context.Context
	cancel   func()
	query    *grep.Query
	out      *grep.Output
	spec     grep.Options
	options  Options
	visitor  Visitor
	done     func(name string, r GrepReport, err error) error
	smallMax int
	turns    *scan.Handoff[struct{}] // by number of the batch
	stop     atomic.Bool
	left     atomic.Int64 // batches that wait without a worker

	ahead   chan *grepBatch // listed and not taken; closed when there are no more
	listing sync.Mutex      // of what follows
	next    func() (string, error, bool)
	batches int64
	listed  bool // there are no more names

	mu  sync.Mutex
	err error

	// For the worker whose turn it is:
	keep       keepBudget
	total      Receipt
	smallBytes int64
}

// grepBatch is a run of names, and the worker's results for them.
type grepBatch struct {
	*grepMany
	number int64
	names  []string
	errs   []error
	finder *grep.Finder // the worker's; nil if files without a matching line count, too
	sink   *grep.Sink
	held   bool // it is this batch's turn
	ended  []grepEnd
}

type grepEnd struct {
	name   string
	report GrepReport
	err    error
}

// grepBatchNames is how many names a worker takes at a time.
const grepBatchNames = 16

// batchesAhead is how many batches of names are listed ahead for each of several workers. To list a folder takes one
// worker as long as others take for hundreds of small files.
var batchesAhead = threshold.New("grep: batches of names listed ahead", 32, 1)

// take returns the next batch, nil if there are no more names. If few are left, and no other worker lists names, it
// does so first.
func (g *grepMany) take() *grepBatch {
	if len(g.ahead) <= cap(g.ahead)/2 && g.listing.TryLock() {
		g.list()
		g.listing.Unlock()
	}
	select {
	case b := <-g.ahead:
		if g.stop.Load() {
			return nil
		}
		return b
	case <-g.ctx.Done():
		return nil
	}
}

// list lists names until enough batches are ahead.
func (g *grepMany) list() {
	for !g.listed && len(g.ahead) < cap(g.ahead) && !g.stop.Load() {
		b := &grepBatch{grepMany: g, number: g.batches, names: make([]string, 0, grepBatchNames),
			errs: make([]error, 0, grepBatchNames), ended: make([]grepEnd, 0, grepBatchNames)}
		for !g.listed && len(b.names) < grepBatchNames {
			name, err, ok := g.next()
			if g.listed = !ok; ok {
				b.names, b.errs = append(b.names, name), append(b.errs, err)
			}
		}
		if len(b.names) > 0 {
			g.batches++
			b.sink = grep.NewSink(g.out, b.wait)
			g.ahead <- b
		}
		if g.listed {
			close(g.ahead)
		}
	}
}

// work searches batches until there are none left.
func (g *grepMany) work() {
	reader := source.NewSmallReader(g.smallMax)
	defer reader.Close()
	var finder *grep.Finder
	if !g.spec.Invert && !g.spec.JSON && g.spec.Mode != grep.Each {
		finder = g.query.Finder() // most files have no line that matches, and preparing a search takes longer
	}
	for b := g.take(); b != nil; b = g.take() {
		b.finder = finder
		err := b.search(reader)
		if err == nil && b.leave() {
			continue
		}
		if !b.finish(err) {
			return
		}
	}
}

// batchesLeft is how many batches may wait for one before them without a worker. Each has some output.
var batchesLeft = threshold.New("grep: batches of files that wait for one before them", 32, 1)

// leave leaves the end of a batch whose turn has not come to the worker that will have the turn before, so that
// this one need not wait. It returns false if the worker is to end the batch itself.
func (b *grepBatch) leave() bool {
	if b.held || b.left.Load() >= int64(batchesLeft.Get()) {
		return false
	}
	b.left.Add(1)
	_, ok := b.turns.Leave(b.number, func(struct{}) {
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

// finish writes what a batch has found, and hands the turn on. It returns false if the search has failed.
func (b *grepBatch) finish(err error) bool {
	if err == nil {
		err = b.catchUp()
	}
	if err != nil {
		b.fail(err)
		return false
	}
	b.turns.Put(b.number+1, struct{}{})
	return true
}

// fail ends the search and keeps the first error.
func (g *grepMany) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		g.err = err
	}
	g.stop.Store(true)
	g.cancel()
}

// wait waits for the batch's turn.
func (b *grepBatch) wait() error {
	if b.held {
		return nil
	}
	if _, b.held = b.turns.Take(b.number, &b.stop); b.held {
		return nil
	}
	if err := b.ctx.Err(); err != nil {
		return err
	}
	return errStopped
}

// errStopped ends a worker after another has failed.
var errStopped = errors.New("the search was stopped")

// catchUp writes what is printed so far, and reports the ends of inputs.
func (b *grepBatch) catchUp() error {
	if err := b.wait(); err != nil {
		return err
	}
	if err := b.sink.Flush(); err != nil {
		return err
	}
	for _, e := range b.ended {
		if e.err != nil && b.visitor.Vanished != nil && b.visitor.Vanished(e.name, e.err) {
			continue
		}
		if len(e.report.Receipt.Engines) > 0 {
			b.total.add(e.report.Receipt)
		} else {
			b.total.Bytes += e.report.Bytes
			b.smallBytes += e.report.Bytes
		}
		if err := b.done(e.name, e.report, e.err); err != nil {
			return err
		}
	}
	b.ended = b.ended[:0]
	return nil
}

// search searches the inputs of a batch.
func (b *grepBatch) search(reader *source.SmallReader) error {
	for i, name := range b.names {
		if b.errs[i] != nil {
			b.end(name, GrepReport{}, b.errs[i])
			continue
		}
		small, err := b.small(reader, name)
		if err == nil && !small {
			err = b.big(name)
		}
		if err != nil {
			return err
		}
		// Modes without lines print at the end of an input, which must not come after lines of others.
		if b.ctx.Err() != nil {
			return b.ctx.Err()
		}
	}
	return nil
}

func (b *grepBatch) end(name string, r GrepReport, err error) {
	b.ended = append(b.ended, grepEnd{name, r, err})
}

// named returns the options for an input, with its name in results if they have names.
func (b *grepBatch) named(name string) grep.Options {
	spec := b.spec
	if spec.Name != "" {
		spec.Name = PrintedName(name)
	}
	return spec
}

// PrintedName returns the name of an input in results.
func PrintedName(name string) string {
	if name == standardInput {
		return standardInputName
	}
	return name
}

// small searches a file that can be read in one go. It returns false if that is not possible.
func (b *grepBatch) small(reader *source.SmallReader, name string) (bool, error) {
	if name == standardInput || b.visitor.FS != nil || b.visitor.isRemote(name) ||
		b.options.Cache == CacheNeutral || b.options.Engine != plan.Auto || b.options.Times != nil {
		return false, nil
	}
	data, err := reader.Read(name)
	if !b.visitor.Raw && mayBeCompressed(name, data, err) || err == source.ErrNotSmall {
		return false, nil
	}
	if err != nil {
		b.end(name, GrepReport{}, err)
		return true, nil
	}
	o := b.options
	size := int64(len(data))
	data = clip(data, &o)
	if o.Progress != nil {
		o.Progress.Add(int64(len(data)))
	}
	if b.finder != nil && (len(data) == 0 || !b.finder.In(data)) {
		b.end(name, GrepReport{Result: grep.Result{Binary: -1}, Bytes: int64(len(data)), Complete: true}, nil)
		return true, nil
	}
	w := &whole{file: &source.File{Name: name, Kind: source.Regular, Bytes: size}, off: min(o.Offset, size), data: data}
	report := Report{Bytes: int64(len(data)), Complete: true}
	result, err := w.grepInto(&report, b.query, b.sink, b.named(name))
	if err != nil {
		return true, err
	}
	b.end(name, GrepReport{Result: result, Bytes: report.Bytes, Complete: report.Complete, Unread: report.Unread}, nil)
	return true, nil
}

// big searches any other input when the batch's turn has come, with all workers.
func (b *grepBatch) big(name string) error {
	if err := b.catchUp(); err != nil {
		return err
	}
	in, err := b.visitor.open(name)
	var archive *ArchiveError
	switch {
	case errors.As(err, &archive) && b.visitor.Archives && archive.Members != "":
		return b.archive(name)
	case err != nil:
		b.end(name, GrepReport{}, err)
		return b.catchUp()
	}
	return b.input(in)
}

// archive searches the members of an archive one after the other.
func (b *grepBatch) archive(name string) error {
	return eachMember(&b.visitor, name, b.input, func(name string, err error) error {
		b.end(name, GrepReport{}, err)
		return b.catchUp()
	})
}

// input searches an open input, and closes it.
func (b *grepBatch) input(in *Input) error {
	name := in.Name()
	o := b.options
	o.Cache = b.keep.policy(&o, in.bytesRead(&o))
	if n, ok := in.Bytes(); ok {
		o.clip(n)
	}
	report, err := grepInput(b.ctx, in, b.query, grep.NewSink(b.out, nil), b.named(name), o)
	err = errors.Join(err, in.Close())
	var write *grep.WriteError
	if errors.As(err, &write) || b.ctx.Err() != nil && errors.Is(err, b.ctx.Err()) {
		return err
	}
	b.end(name, report, err)
	return b.catchUp()
}
