package run

import (
	"context"
	"io"
	"iter"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/internal/table"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/receipt"
)

// Executor answers questions about inputs somewhere else than in this process: on the machines of a cluster. It opens
// inputs by their names, and answers as FindAll, CountAll and GrepAll do, in the same order, with the same callbacks.
// Who asks and who prints does not know which of the two it is.
type Executor interface {
	Find(ctx context.Context, names iter.Seq2[string, error], q *Query, o Options, v Callbacks) (Report, error)
	Count(ctx context.Context, names iter.Seq2[string, error], q *Query, o Options, v Callbacks) (Report, error)
	Grep(ctx context.Context, names iter.Seq2[string, error], q *grep.Query, out io.Writer, spec grep.Options, o Options,
		v Callbacks, done func(name string, r answer.GrepReport, err error) error) (receipt.Receipt, error)
	// Table reads the inputs as one table, and returns what was read.
	Table(ctx context.Context, names iter.Seq2[string, error], spec query.Spec, o Options, v Callbacks) (TableParts, error)
}

// TableParts is what an Executor has read of a table.
type TableParts struct {
	Head    TableHead
	Parts   []*table.Part
	Bytes   int64
	Receipt receipt.Receipt
}

type executorKey struct{}

// With returns a context in which questions are answered by an Executor.
func With(ctx context.Context, e Executor) context.Context {
	return context.WithValue(ctx, executorKey{}, e)
}

// Here returns a context in which questions are answered in this process.
func Here(ctx context.Context) context.Context { return With(ctx, nil) }

func executorOf(ctx context.Context) Executor {
	e, _ := ctx.Value(executorKey{}).(Executor)
	return e
}

// executorFor returns what answers questions about an input; nil for this process. It also reads the inputs that other
// machines cannot open by their names: streams, bytes, tensors, temporary files.
func (in *Input) executorFor(ctx context.Context) Executor {
	if !in.named {
		return nil
	}
	return executorOf(ctx)
}

// alone returns the names and the callbacks for a question about the input alone.
func (in *Input) alone() (iter.Seq2[string, error], Callbacks) {
	names := func(yield func(string, error) bool) { yield(in.Name(), nil) }
	return names, Callbacks{Raw: in.raw,
		Hits: func(string, []answer.Hit) error { return nil },
		Done: func(_ string, _ Report, err error) error { return err }}
}

// findBy has an executor search the input.
func (in *Input) findBy(ctx context.Context, e Executor, q *Query, o Options,
	visit func([]answer.Hit) error) (report Report, err error) {
	names, v := in.alone()
	v.Hits = func(_ string, hits []answer.Hit) error { return visit(hits) }
	v.Done = func(_ string, r Report, err error) error {
		report = r
		return err
	}
	total, err := e.Find(ctx, names, q, o, v)
	report.Receipt = total.Receipt
	return report, err
}

// grepBy has an executor search the input for lines.
func (in *Input) grepBy(ctx context.Context, e Executor, q *grep.Query, out io.Writer, spec grep.Options,
	o Options) (report answer.GrepReport, err error) {
	names, v := in.alone()
	r, err := e.Grep(ctx, names, q, out, spec, o, v, func(_ string, r answer.GrepReport, err error) error {
		report = r
		return err
	})
	report.Receipt = r
	return report, err
}

// take answers from what an executor has read.
func (t *tableRun) take(read TableParts, err error) error {
	if err != nil {
		return err
	}
	if len(read.Head.Bytes) > 0 {
		if _, err := t.run.Prime(read.Head.Name, read.Head.Bytes, read.Head.Ended); err != nil {
			return err
		}
	}
	t.total.Bytes, t.total.Receipt = read.Bytes, read.Receipt
	var stretches []table.Stretch
	for _, p := range read.Parts {
		stretches = append(stretches, p.Stretches...)
		if err := t.run.Add(p); err != nil {
			return err
		}
	}
	return t.run.Total(stretches)
}

// readTable reads an input of a table, and readTables all named ones: by the executor, if there is one.
func (in *Input) readTable(ctx context.Context, t *tableRun, spec query.Spec) error {
	t.raw = in.raw
	if e := in.executorFor(ctx); e != nil {
		names, v := in.alone()
		return t.take(e.Table(ctx, names, spec, t.bound, v))
	}
	return t.input(ctx, in)
}

func (t *tableRun) readTables(ctx context.Context, names iter.Seq2[string, error], spec query.Spec, v Callbacks) error {
	if e := executorOf(ctx); e != nil {
		return t.take(e.Table(ctx, names, spec, t.bound, v))
	}
	return t.pass(ctx, names, v)
}
