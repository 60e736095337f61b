package cluster

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/search/count"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/receipt"
)

// Executor answers the questions of the library by jobs, each by one of its own. It is a run.Executor.
type Executor struct {
	*Job
	Last   Receipt // of the last job
	answer func(context.Context, *Job, Asked) (*Answer, error)
}

// NewExecutor returns the executor whose questions are answered by jobs like this one.
func NewExecutor(j *Job) *Executor {
	return &Executor{Job: j, answer: func(ctx context.Context, j *Job, asked Asked) (*Answer, error) {
		answers, err := j.AskAll(ctx, []Asked{asked})
		if err != nil {
			return nil, err
		}
		return answers[0], nil
	}}
}

var _ run.Executor = (*Executor)(nil)

// ask answers a question about the named inputs that can be opened. The caller closes the answer, which is nil without
// any. Inputs that have vanished are left out.
func (e *Executor) ask(ctx context.Context, q *Question, names iter.Seq2[string, error], o run.Options,
	v run.Callbacks) (a *Answer, all []listed, err error) {
	if o.Offset != 0 || o.Length != nil || o.Times != nil {
		return nil, nil, errors.New("a part of an input is read on one machine: ask thresh")
	}
	if all, err = e.sources.list(ctx, names, v); err != nil {
		return nil, nil, err
	}
	var inputs []Input
	for _, l := range all {
		if l.err == nil {
			inputs = append(inputs, l.Input)
		}
	}
	if len(inputs) == 0 {
		return nil, all, nil
	}
	job := *e.Job
	if o.Progress != nil {
		last := int64(0)
		job.Options.Progress = func(done, _ int64) {
			o.Progress.Add(done - last)
			last = done
		}
	}
	if a, err = e.answer(run.Here(ctx), &job, Asked{q, inputs}); err == nil {
		e.Last = a.Receipt
	}
	return a, all, err
}

// each calls visit with the inputs in their order: with the number of the input in the answer, or the error that it
// could not be opened with.
func (a *Answer) each(all []listed, visit func(number int, name string, err error) error) error {
	number := 0
	for _, l := range all {
		if l.err != nil {
			if err := visit(0, l.name, l.err); err != nil {
				return err
			}
			continue
		}
		if err := visit(number, l.name, nil); err != nil {
			return err
		}
		number++
	}
	return nil
}

// Find answers as run.FindAll does.
func (e *Executor) Find(ctx context.Context, names iter.Seq2[string, error], q *run.Query, o run.Options,
	v run.Callbacks) (total run.Report, err error) {
	a, all, err := e.ask(ctx, &Question{Verb: Find, Asked: q.Asked, Limit: o.Limit}, names, o, v)
	if err != nil {
		return total, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	total.Complete, total.Receipt = true, a.receipt()
	err = a.each(all, func(i int, name string, err error) error {
		var r run.Report
		if err == nil {
			r = run.Report{Report: a.report(i, q)}
			r.Hits, err = a.hits(i, q.Disjoint(), o.Limit, func(hits []answer.Hit) error { return v.Hits(name, hits) })
			if err != nil {
				return err
			}
		}
		total.Hits, total.Bytes, total.Complete = total.Hits+r.Hits, total.Bytes+r.Bytes, total.Complete && err == nil
		return v.Done(name, r, err)
	})
	return total, err
}

// Count answers as run.CountAll does.
func (e *Executor) Count(ctx context.Context, names iter.Seq2[string, error], q *run.Query, o run.Options,
	v run.Callbacks) (total run.Report, err error) {
	a, all, err := e.ask(ctx, &Question{Verb: Count, Asked: q.Asked}, names, o, v)
	if err != nil {
		return total, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	var parts [][]*count.Partial
	if a != nil {
		for i := range a.plan.Inputs {
			parts = append(parts, a.result.input(i).Counts)
		}
	}
	if total, err = q.Total(parts...); err != nil {
		return total, err
	}
	total.Receipt = a.receipt()
	err = a.each(all, func(i int, name string, err error) error {
		var r run.Report
		if err == nil {
			if r, err = q.Total(parts[i]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			known := a.report(i, q)
			r.Bytes, r.Trailing, r.Complete = known.Bytes, known.Trailing, true
		}
		total.Bytes, total.Trailing, total.Complete = total.Bytes+r.Bytes, r.Trailing, total.Complete && err == nil
		return v.Done(name, r, err)
	})
	return total, err
}

// Grep answers as run.GrepAll does.
func (e *Executor) Grep(ctx context.Context, names iter.Seq2[string, error], q *grep.Query, out io.Writer,
	spec grep.Options, o run.Options, v run.Callbacks, done func(string, answer.GrepReport, error) error) (
	r receipt.Receipt, err error) {
	a, all, err := e.ask(ctx, &Question{Verb: Grep, Lines: q.Lines, Print: spec}, names, o, v)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	output := &grep.Output{Writer: out}
	return a.receipt(), a.each(all, func(i int, name string, err error) error {
		var r answer.GrepReport
		if err == nil {
			spec := spec
			if spec.Name != "" {
				spec.Name = run.PrintedName(name)
			}
			r, err = e.lines(ctx, a, i, q, grep.NewSink(output, nil), spec)
		}
		return done(name, r, err)
	})
}

// Table reads a table.
func (e *Executor) Table(ctx context.Context, names iter.Seq2[string, error], spec query.Spec, o run.Options,
	v run.Callbacks) (t run.TableParts, err error) {
	sent, err := specOf(spec)
	if err != nil {
		return t, err
	}
	a, all, err := e.ask(ctx, &Question{Verb: Table, Spec: sent}, names, o, v)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	err = a.each(all, func(_ int, name string, err error) error {
		if err == nil {
			return nil
		}
		return v.Done(name, run.Report{}, err)
	})
	if a == nil || err != nil {
		return t, err
	}
	return run.TableParts{Head: a.plan.Head, Parts: a.result.Tables, Bytes: a.result.Bytes, Receipt: a.receipt()}, nil
}

// Answer is the result of a job about a question.
type Answer struct {
	Receipt Receipt

	plan   *Plan
	result *Partial
	box    *mailbox
}

// Close removes what belongs to the answer.
func (a *Answer) Close() error {
	if a == nil {
		return nil
	}
	return a.box.Close()
}

func (a *Answer) receipt() receipt.Receipt {
	if a == nil {
		return receipt.Receipt{}
	}
	r := a.Receipt
	return receipt.Receipt{Bytes: r.Bytes, Seconds: r.Seconds, BytesPerSecond: r.Rate, Verdict: r.text(),
		Wall: receipt.Wall(r.Wall), Engines: []receipt.EngineUse{{Engine: "cluster", Workers: r.Workers, Bytes: r.Bytes}}}
}

// report returns what is known of an input without an answer.
func (a *Answer) report(input int, q *run.Query) answer.Report {
	n := a.plan.Inputs[input].Bytes
	if a.plan.Inputs[input].Whole {
		n = a.result.input(input).Scanned
	}
	return answer.Report{Bytes: n, Trailing: q.Trailing(n), Complete: true}
}

// hits calls visit with the places in an input, up to a limit, and returns how many there were.
func (a *Answer) hits(input int, disjoint bool, limit int64, visit func([]answer.Hit) error) (n int64, err error) {
	filter := scan.Filter{Disjoint: disjoint}
	for cell := range a.plan.cells(input) {
		encoded, err := a.box.part(input, cell)
		if err != nil {
			return n, err
		}
		hits, err := decodeHits(encoded, a.plan.cell(input, cell).Off)
		if err != nil {
			return n, fmt.Errorf("%s, cell %d: %w", a.plan.Inputs[input].Name, cell, err)
		}
		if hits = filter.Keep(hits); limit > 0 {
			hits = hits[:min(int64(len(hits)), limit-n)]
		}
		if n += int64(len(hits)); len(hits) > 0 {
			err = visit(hits)
		}
		if err != nil || n == limit && limit > 0 {
			return n, err
		}
	}
	return n, nil
}

// lines prints the lines of an input.
func (e *Executor) lines(ctx context.Context, a *Answer, input int, q *grep.Query, sink *grep.Sink,
	spec grep.Options) (r answer.GrepReport, err error) {
	cells := a.plan.cells(input)
	if cells == 1 {
		found, err := a.cell(input, 0)
		if err == nil {
			err = sink.Copy(found.Output, spec)
		}
		return found.report(), err
	}
	in, err := e.sources.reopen(ctx, a.plan.Inputs[input])
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if spec.Mode == grep.Print && spec.Before+spec.After > 0 && !spec.Text {
		for cell := range cells {
			if found, err := a.cell(input, cell); err != nil {
				return r, err
			} else if found.Part.Zero >= 0 { // the workers do not tell which line is the binary one
				return run.GrepInto(run.Here(ctx), in, q, sink, spec, run.Options{})
			}
		}
	}
	return run.GrepParts(in, q, sink, spec, func(yield func(grep.Part, error) bool) {
		for cell := range cells {
			if found, err := a.cell(input, cell); !yield(found.Part, err) {
				return
			}
		}
	})
}

// foundLines is what a worker hands in about the lines of a cell: if it is all of the input, what is printed.
type foundLines struct {
	Part   grep.Part
	Report struct { // what of an answer.GrepReport is sent
		Lines, Matches, Binary, Bytes, Written int64
		Counts                                 []int64
	}
	Output []byte
}

// report returns the report about an input that is one cell.
func (f *foundLines) report() answer.GrepReport {
	r := &f.Report
	return answer.GrepReport{Lines: r.Lines, Matches: r.Matches, Binary: r.Binary, Bytes: r.Bytes, Written: r.Written,
		Counts: r.Counts, Complete: true}
}

// cell returns what was found in a cell.
func (a *Answer) cell(input int, number int64) (found foundLines, err error) {
	b, err := a.box.part(input, number)
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(b)).Decode(&found)
	}
	if err != nil {
		err = fmt.Errorf("%s, cell %d: %w", a.plan.Inputs[input].Name, number, err)
	}
	return found, err
}
