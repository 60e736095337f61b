package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/wall"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/table"
	"github.com/thresh-dev/thresh/internal/table/query"
)

// TableAll answers questions about the table that the named inputs make together, in one pass. The
// answers go to out when all inputs have been read, also after a cancelled context.
func TableAll(ctx context.Context, names iter.Seq2[string, error], spec query.Spec, o Options, v Callbacks,
	out answer.Writer) (answer.TableReport, error) {
	return answerTable(ctx, spec, o, out, func(t *tableRun) error { return t.readTables(ctx, names, spec, v) })
}

// Table answers questions about one input.
func Table(ctx context.Context, in *Input, spec query.Spec, o Options,
	out answer.Writer) (answer.TableReport, error) {
	return answerTable(ctx, spec, o, out, func(t *tableRun) error { return in.readTable(ctx, t, spec) })
}

// answerTable reads inputs and answers.
func answerTable(ctx context.Context, spec query.Spec, o Options, out answer.Writer,
	read func(*tableRun) error) (answer.TableReport, error) {
	t, err := newTableRun(spec, o)
	if err != nil {
		return answer.TableReport{}, err
	}
	t.run.Stream(out)
	err = read(t)
	if err == nil && len(t.total.Unread) == 0 {
		if err = t.run.Unmatched(); err == nil {
			err = t.run.CheckNumbers(query.AllQuestions)
		}
	}
	if err == nil || errors.Is(err, context.Canceled) {
		// After an interruption the answers cover what was read until then, which takes little time.
		answered := t.afterwards()
		if failed := t.run.Answer(context.WithoutCancel(ctx), out); !errors.Is(err, failed) {
			err = errors.Join(failed, err)
		}
		answered()
	}
	r, closeErr := t.report(err == nil)
	return r, errors.Join(err, closeErr)
}

// ExplainTable returns the plan for the first input of a call of Table.
func ExplainTable(in *Input, spec query.Spec, o Options) (Plan, error) {
	t, err := newTableRun(spec, o)
	if err != nil {
		return Plan{}, err
	}
	ask, err := t.begin(context.Background(), in)
	if err != nil {
		return Plan{}, errors.Join(err, t.run.Close())
	}
	if t.run.NoRecords() {
		return Plan{Lines: []string{in.Name() + " has no record"}}, t.run.Close()
	}
	p, err := explain(in, ask, t.options)
	err = t.outOfMemory(err)
	p.Lines = append(p.Lines, t.run.Explain()...)
	return p, errors.Join(err, t.run.Close())
}

// tableRun is one pass over the inputs of a table.
type tableRun struct {
	run     *table.Run
	options Options // of a scan, with the limit of one hit: the first malformed record
	bound   Options // as they were given
	asked   bool    // MemoryBytes was given
	memory  tableMemory
	total   Report
	raw     bool // files are taken as text, whatever they look like
	several bool
	watch   *watch
	keep    keepBudget

	answering time.Duration
	after     []wall.Counters // of that time; empty without a receipt
}

func newTableRun(spec query.Spec, o Options) (*tableRun, error) {
	asked := o.MemoryBytes > 0
	err := errors.Join(o.check(), o.settleMemory(0))
	if err != nil {
		return nil, err
	}
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	t := &tableRun{options: o, bound: o, asked: asked, watch: startWatch(o.Receipt),
		memory: tableMemory{workers: workers, chunk: int64(o.ChunkBytes)}}
	t.options.Limit = 1 // the first malformed record, where it ends the pass
	limits := table.Options{Workers: workers, MemBytes: t.share(o.MemoryBytes), TempDir: os.TempDir(),
		Rejects: o.Rejects}
	t.run, err = table.NewRun(spec, limits)
	return t, err
}

func (t *tableRun) pass(ctx context.Context, names iter.Seq2[string, error], v Callbacks) error {
	t.raw = v.Raw
	inputs := 0
	list := &inputNames{}
	var stop func()
	list.next, stop = iter.Pull2(names)
	defer stop()
	t.run.Others = func() [][]string { return t.headers(ctx, list.ahead(), v) }
	for name, err, ok := list.take(); ok; name, err, ok = list.take() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var in *Input
		if in, v.First = v.First, nil; in == nil && err == nil {
			in, err = v.Open(name)
		}
		if err != nil {
			if err = v.Done(name, Report{}, err); err != nil {
				return err
			}
			continue
		}
		inputs++
		t.several = inputs > 1
		if err := errors.Join(t.input(ctx, in), in.Close()); err != nil || t.run.Enough() {
			return err
		}
	}
	return nil
}

// input reads one input to its end.
func (t *tableRun) input(ctx context.Context, in *Input) error {
	ask, err := t.begin(ctx, in)
	var unread *failure.UnreadError
	if errors.As(err, &unread) { // not even the first record, of which some bytes may have been read
		t.total.Bytes += unread.Off - t.options.Offset
		t.total.Unread = append(t.total.Unread, *unread)
		return nil
	}
	if err != nil || t.run.NoRecords() {
		return err
	}
	o := t.options
	o.Cache = t.keep.policy(&o, in.bytesRead(&o))
	job, err := newJob(in, ask, o)
	if err != nil {
		return err
	}
	job.Emit = func([]answer.Hit) error { return nil }
	r, err := run(ctx, in, ask, job, o)
	err = t.outOfMemory(err)
	t.total.Bytes += r.Bytes
	t.total.Unread = append(t.total.Unread, r.Unread...)
	if t.several {
		addFile(&t.total.Receipt, r.Receipt)
	} else {
		t.total.Receipt = r.Receipt
	}
	done := t.run.Done()
	var problem *failure.Problem
	if err == nil && errors.As(done, &problem) {
		if damage := in.damage(ctx); damage != nil {
			// The record may be malformed because of the damage.
			t.total.Unread = append(t.total.Unread, failure.UnreadError{Name: in.Name(), Off: problem.Off,
				Err: fmt.Errorf("the record there is malformed (%s), and the file is damaged: %w", problem.Reason, damage)})
			done = nil
		}
	}
	return errors.Join(done, err)
}

// damage reads a compressed file to its end and returns what is wrong with it: in many formats a
// checksum at the end shows that earlier bytes were damaged.
func (in *Input) damage(ctx context.Context) error {
	if !in.Compressed() {
		return nil
	}
	r := in.compressed.reader(in.compressed.file, decompress.Options{Workers: 1, MemBytes: spareBytesMin})
	_, err := io.Copy(io.Discard, &untilDone{ctx, r})
	return errors.Join(err, r.Close())
}

// untilDone reads until a context is done.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u *untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// begin reads the first record of an input.
func (t *tableRun) begin(ctx context.Context, in *Input) (request, error) {
	span, err := t.options.span(in.file)
	if err != nil {
		return request{}, err
	}
	ok := false
	err = in.head(ctx, span, query.FirstBytesMax, t.options.MemoryBytes, func(head []byte, ended bool) (bool, error) {
		if err := t.checkFormat(in, span, head); err != nil {
			return false, err
		}
		ok, err = t.run.Input(in.file, span, head, ended)
		return ok, err
	})
	if err != nil {
		return request{}, err
	}
	if !ok {
		return request{}, fmt.Errorf("%s: the first record is longer than %s: is the quote right?",
			in.Name(), bytesize.Precise(query.FirstBytesMax))
	}
	if t.run.NoRecords() {
		return request{}, nil
	}
	if err := t.divide(in.file.Kind); err != nil {
		return request{}, err
	}
	traits := t.run.Traits(in.file.Kind)
	traits.Base = t.memory.base(t.options.MemoryBytes)
	begin := func(*Input, source.Range) tasks { return tasks{searcher: t.run.Searcher} }
	return request{Traits: &traits, speed: t.run.Speed, keeps: true, wrote: t.run.Printing, begin: begin}, nil
}

// report ends the run.
func (t *tableRun) report(complete bool) (answer.TableReport, error) {
	r, err := t.summary(t.run.Report, complete)
	return r, errors.Join(err, t.run.Close())
}

// summary returns the report of what was read.
func (t *tableRun) summary(of table.Report, complete bool) (answer.TableReport, error) {
	r := of.Public()
	r.Bytes, r.Unread, r.Receipt = t.total.Bytes, t.total.Unread, t.total.Receipt
	r.Complete = complete && len(r.Unread) == 0
	if complete && !t.run.Enough() {
		r.TruncatedBytes = r.Bytes - of.Seen
	}
	var err error
	if t.several {
		r.Receipt, err = t.watch.manyReceipt(r.Receipt, t.bound.MemoryBytes)
	}
	r.Receipt.TempBytes = t.run.TempBytes()
	refine(&r.Receipt, t.run.Stages(), t.answering, t.after)
	return r, err
}
