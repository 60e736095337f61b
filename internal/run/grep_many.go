package run

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/receipt"
)

// GrepAll searches many inputs for lines, and prints them in the order of the names.
//
// Done is called for each input, in order, by one goroutine at a time, and may write to out, too. Of v,
// the functions for hits and inputs are not used.
func GrepAll(ctx context.Context, names iter.Seq2[string, error], q *grep.Query, out io.Writer, spec grep.Options,
	o Options, v Callbacks, done func(name string, r answer.GrepReport, err error) error) (receipt.Receipt, error) {
	if e := executorOf(ctx); e != nil {
		return e.Grep(ctx, names, q, out, spec, o, v, done)
	}
	v.Begin = nil
	m := &manyLines{many: many{options: o, callbacks: v, single: singleWorker{compressedOnly: true}}, query: q,
		out: &grep.Output{Writer: out}, spec: spec, done: done}
	m.begin = func() func(*batch) answers {
		var finder *grep.Finder
		if !spec.Invert && !spec.JSON && spec.Mode != grep.Each {
			finder = q.Finder() // most files have no line that matches, and preparing a search takes longer
		}
		return func(b *batch) answers { return &batchLines{m, b, finder, grep.NewSink(m.out, b.wait)} }
	}
	return m.run(ctx, names, q.Kernel())
}

// manyLines asks for the lines of many inputs.
type manyLines struct {
	many
	query *grep.Query
	out   *grep.Output
	spec  grep.Options
	done  func(name string, r answer.GrepReport, err error) error
}

// batchLines are the lines of the inputs of a batch.
type batchLines struct {
	*manyLines
	batch  *batch
	finder *grep.Finder // the worker's; nil if files without a matching line count, too
	sink   *grep.Sink
}

// named returns the options for an input, with its name in results if they have names.
func (l *batchLines) named(name string) grep.Options {
	spec := l.spec
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

func (l *batchLines) small(t *task, w *whole) (err error) {
	n := int64(len(w.data))
	if l.finder != nil && (n == 0 || !l.finder.In(w.data)) {
		t.lines.Binary, t.lines.Bytes, t.lines.Complete = -1, n, true
		return nil
	}
	report := Report{Report: answer.Report{Bytes: n, Complete: true}}
	t.lines, err = w.grepInto(&report, l.query, l.sink, l.named(t.name))
	return err
}

func (l *batchLines) input(t *task, in *Input, o Options) error {
	sink := l.sink
	if l.batch.held {
		sink = grep.NewSink(l.out, nil)
	}
	report, err := GrepInto(l.ctx, in, l.query, sink, l.named(t.name), o)
	var write *failure.WriteError
	if errors.As(err, &write) || l.ctx.Err() != nil && errors.Is(err, l.ctx.Err()) {
		return err
	}
	t.lines, t.err = report, err
	return nil
}

func (l *batchLines) pass(t *task) error {
	if err := l.sink.Flush(); err != nil || !l.account(t, t.lines.Bytes, &t.lines.Receipt) {
		return err
	}
	return l.done(t.name, t.lines, t.err)
}
