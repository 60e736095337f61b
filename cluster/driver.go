package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/search/count"
	"github.com/thresh-dev/thresh/internal/table"
)

// Options say how a job is run. The zero value is right for the embedded runner.
type Options struct {
	Recursive  bool
	CellBytes  int64
	RangeBytes int64
	Listen     string // where workers reach the driver: an address of this machine; "" for loopback
	Advertise  string // the same as the workers see it; "" for Listen
	Progress   func(done, all int64)
}

// Answer is the answer to a question.
type Answer struct {
	Question *Question
	Inputs   []InputAnswer
	Total    run.Report // of Count, in all inputs
	Receipt  Receipt

	query *run.Query
	head  run.TableHead
	parts []*table.Part
	spool *channel
}

// InputAnswer is the answer for one input.
type InputAnswer struct {
	Name   string
	Report run.Report // of Count
	Hits   int64      // of Find; lines of Grep
	Lowest int64      // of Find without All, if there are Hits
	cells  int64
	bytes  int64 // of a cell
}

// Job answers questions with a runner.
type Job struct {
	Runner  *Runner
	Sources *Sources
	Options Options
}

// Ask answers a question about the inputs that args name. The caller closes the answer.
func (j *Job) Ask(ctx context.Context, q *Question, args []string) (answer *Answer, err error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	beam.Init()
	o := j.Options
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.CellBytes <= 0 {
		o.CellBytes = cellBytesDefault
	}
	if o.RangeBytes <= 0 {
		o.RangeBytes = rangeBytesDefault
	}
	t, text, err := trialOfEnvironment()
	if err != nil {
		return nil, err
	}
	sources := *j.Sources
	sources.trial = t
	inputs, err := sources.list(ctx, args, o.Recursive)
	if err != nil {
		return nil, err
	}
	if q.Column != nil {
		if err := noTensors(inputs); err != nil {
			return nil, err
		}
	}
	plan := &Plan{Question: *q, Inputs: inputs, CellBytes: q.cellBytesFor(o.CellBytes), Trial: text}
	began := time.Now()
	var receipts []Receipt
	if q.Verb == Table {
		if plan.Head, err = readHead(ctx, &sources, q, inputs); err != nil {
			return nil, err
		}
		if q.Table.Dialect.Quote != 0 && len(plan.ranges(plan.CellBytes)) > len(inputs) {
			summary, err := j.summaries(ctx, plan, o)
			if err != nil {
				return nil, err
			}
			receipts = append(receipts, summary)
		}
	}
	result, spool, err := j.run(ctx, plan, o)
	if err != nil {
		return nil, err
	}
	answer = &Answer{Question: q, head: plan.Head, parts: result.Tables, spool: spool}
	answer.Receipt = spool.receipt(plan, time.Since(began), receipts)
	if err := answer.take(plan, result); err != nil {
		return nil, errors.Join(err, answer.Close())
	}
	return answer, nil
}

// Close removes what belongs to the answer.
func (a *Answer) Close() error { return a.spool.Close() }

// readHead reads the beginning of the first input that has records.
func readHead(ctx context.Context, s *Sources, q *Question, inputs []Input) (head run.TableHead, err error) {
	for _, i := range inputs {
		in, err := s.reopen(ctx, i)
		if err != nil {
			return head, err
		}
		head, ok, err := run.ReadTableHead(ctx, in, q.Table, run.Options{})
		if err = errors.Join(err, in.Close()); err != nil || ok {
			return head, err
		}
	}
	return run.TableHead{}, nil
}

// summaries finds out in which state every cell of a quoted table begins, by a job of its own.
func (j *Job) summaries(ctx context.Context, plan *Plan, o Options) (Receipt, error) {
	first := *plan
	first.Question = Question{Verb: Count, Rows: true, Delim: plan.Question.Table.Dialect.Delim}
	began := time.Now()
	keep := o
	keep.Progress = nil
	first.Question.Summaries = true
	result, spool, err := j.run(ctx, &first, keep)
	if err != nil {
		return Receipt{}, err
	}
	receipt := spool.receipt(&first, time.Since(began), nil)
	if err := spool.Close(); err != nil {
		return receipt, err
	}
	plan.States = make([][]fields.State, len(plan.Inputs))
	for i := range plan.Inputs {
		counts := result.input(i).Counts
		if n := plan.cells(i); int64(len(counts)) != n {
			return receipt, fmt.Errorf("%s: %d of %d cells have a summary", plan.Inputs[i].Name, len(counts), n)
		}
		sortCounts(counts)
		if plan.States[i], err = states(counts, first.Question.Delim); err != nil {
			return receipt, fmt.Errorf("%s: %w", plan.Inputs[i].Name, err)
		}
	}
	return receipt, nil
}

// run runs a plan and returns the result of all its cells. The channel holds what was handed in.
func (j *Job) run(ctx context.Context, plan *Plan, o Options) (result *Partial, spool *channel, err error) {
	spool, err = listen(o.Listen, o.Advertise, os.TempDir())
	if err != nil {
		return nil, nil, err
	}
	plan.Driver = spool.url
	var all, cells int64
	for i := range plan.Inputs {
		all += plan.Inputs[i].Bytes
		cells += plan.cells(i)
	}
	if o.Progress != nil {
		done := int64(0)
		spool.progress = func(n int64) { // one call at a time: see onDone
			done += n
			o.Progress(done, all)
		}
	}
	p, err := pipeline(plan, o.RangeBytes)
	if err == nil {
		err = j.Runner.run(ctx, "thresh-cluster-"+filepath.Base(plan.Driver), p)
	}
	if err == nil {
		result, err = spool.result()
	} else if _, reason := spool.result(); ctx.Err() == nil && spool.reason != "" {
		err = fmt.Errorf("%w (the runner says: %v)", reason, err)
	}
	if err == nil && (result.Cells != cells || result.Bytes != all) {
		err = fmt.Errorf("the job accounts for %d of %d bytes, in %d of %d cells", result.Bytes, all, result.Cells, cells)
	}
	if err != nil {
		return nil, nil, errors.Join(err, spool.Close())
	}
	return result, spool, nil
}

// take computes the answer from the result of all cells.
func (a *Answer) take(plan *Plan, result *Partial) (err error) {
	if a.Question.Verb == Table {
		return nil // see WriteTable
	}
	if a.Question.Verb == Count || a.Question.Verb == Find {
		if a.query, err = a.Question.query(); err != nil {
			return err
		}
	}
	for i, in := range plan.Inputs {
		p := result.input(i)
		answer := InputAnswer{Name: in.Name, Hits: p.Hits + p.Lines, Lowest: p.Lowest, cells: plan.cells(i),
			bytes: plan.CellBytes}
		if a.Question.Verb == Count {
			if answer.Report, err = a.query.Total(p.Counts); err != nil {
				return fmt.Errorf("%s: %w", in.Name, err)
			}
		}
		a.Inputs = append(a.Inputs, answer)
	}
	if a.Question.Verb == Count {
		counts := make([][]*count.Partial, len(plan.Inputs))
		for i := range plan.Inputs {
			counts[i] = result.input(i).Counts
		}
		a.Total, err = a.query.Total(counts...)
	}
	return err
}

// Hits calls visit with the hits of an input, in order. It is for Find with All.
func (a *Answer) Hits(input int, visit func(off, length int64) error) error {
	in := a.Inputs[input]
	filter := scan.Filter{Disjoint: a.query.Disjoint()}
	for cell := range in.cells {
		encoded, err := a.spool.part(input, cell)
		if err != nil {
			return err
		}
		hits, err := decodeHits(encoded, cell*in.bytes)
		if err != nil {
			return fmt.Errorf("%s, cell %d: %w", in.Name, cell, err)
		}
		for _, h := range filter.Keep(hits) {
			if err := visit(h.Off, h.Len); err != nil {
				return err
			}
		}
	}
	return nil
}

// Lines calls visit with the lines of an input, in order and many at a time. It is for Grep.
func (a *Answer) Lines(input int, visit func(lines []byte) error) error {
	for cell := range a.Inputs[input].cells {
		lines, err := a.spool.part(input, cell)
		if err == nil && len(lines) > 0 {
			err = visit(lines)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteTable writes the answers about a table.
func (a *Answer) WriteTable(ctx context.Context, out table.Output) (run.TableReport, error) {
	return a.head.AnswerTable(ctx, a.Question.Table, a.parts, run.Options{Memory: mergeBytes}, out)
}
