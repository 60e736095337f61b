package thresh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"time"

	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/table"
)

// TableSpec says how a table of delimited text is written, and what is asked of it. Columns
// are named by number, from 1, or by name where the first record names them.
type TableSpec = table.Spec

// Dialect is how a table is written: its delimiter, the quote around fields (0 for none), and
// whether its first record is a header.
type Dialect = table.Dialect

// Malformed says what becomes of records that have more or fewer fields than the first, or
// quotes out of place.
type Malformed = table.Malformed

// What becomes of malformed records: the first one ends the pass with a *Problem, or they are
// no records, or they are taken as they are.
const (
	MalformedFail = table.Fail
	MalformedSkip = table.Skip
	MalformedKeep = table.Keep
)

// Question is one question about a table.
type Question = table.Question

// QuestionKind is what a question asks for.
type QuestionKind = table.Kind

// The kinds of questions.
const (
	TableRows  = table.Rows  // how many records
	TableNth   = table.Nth   // certain records
	TableGroup = table.Group // groups of records, and what their values add up to
	TableTop   = table.Top   // the commonest keys
)

// ByValue orders groups by their first aggregate, descending; see Question.By.
const ByValue = table.ByFirst

// Problem is a place where a table is not as it should be. It is the error for a malformed
// record that is not to be there.
type Problem = table.Problem

// TableOutput takes the answers, one after the other, in the order of the questions: a
// heading, rows that are valid during the call, and remarks.
type TableOutput = table.Output

// Column is the heading of a column of an answer.
type Column = table.Column

// Cell is a value of an answer.
type Cell = table.Cell

// ColumnType is what the cells of a column are.
type ColumnType = table.Type

// The types of columns of answers.
const (
	TextColumn    = table.Text
	IntegerColumn = table.Integer
	DecimalColumn = table.Decimal
	FloatColumn   = table.Float
)

// TableReport tells what a pass over a table did.
type TableReport struct {
	table.Report
	Bytes    int64
	Cut      int64 // bytes of records that reach into what could not be read, and were left out
	Complete bool
	Unread   []Unread
	Receipt  Receipt
}

// Table answers questions about the table that the named inputs make together, in one pass
// over each. Names are taken one by one, "-" as v.Stdin; the header of each input is no
// record. Where nothing can be read of an input, v.Done gets the error, and its own ends the
// pass; v.Hits is not called.
//
// The answers go to out when all inputs have been read, also after a cancelled context, and
// are exact whatever the number of workers. Groups that do not fit the memory bound go to
// temporary files. The report is valid also when an error is returned.
func Table(ctx context.Context, names iter.Seq2[string, error], spec TableSpec, o Options, v Visitor,
	out TableOutput) (TableReport, error) {
	t, err := newTabling(spec, o)
	if err != nil {
		return TableReport{}, err
	}
	err = t.pass(ctx, names, v)
	if err == nil || errors.Is(err, context.Canceled) {
		// What was read until an interruption is told, which takes little time.
		began := time.Now()
		err = errors.Join(t.run.Answer(context.WithoutCancel(ctx), out), err)
		t.answering = time.Since(began)
	}
	r, closeErr := t.report(err == nil)
	return r, errors.Join(err, closeErr)
}

// ExplainTable returns the plan for the first input of a call of Table.
func ExplainTable(in *Input, spec TableSpec, o Options) (Plan, error) {
	t, err := newTabling(spec, o)
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

// tabling is a pass over the inputs of a table.
type tabling struct {
	run     *table.Run
	options Options // of a scan: with the limit of one, the first malformed record
	bound   Options // as they were given
	total   Report
	raw     bool // files are taken as they are, whatever they look like
	several bool
	watch   *watch

	answering time.Duration
}

// scanShare returns how much of a memory bound a scan may have; groups get what it can do
// without. That is half, but not more than many workers need, or a quarter, which compressed
// files with large windows need; and of a small bound nearly all, as a scan cannot do with less.
func scanShare(o Options, workers int) int64 {
	const mib = 1 << 20
	most := max(80*mib, 64*mib+int64(workers)*(8*mib+int64(o.Chunk)), o.Memory/4)
	return min(most, max(o.Memory/2, min(60*mib, o.Memory/8*7)))
}

// outOfMemory returns an error of a scan as it is of the whole: of the bound that the caller
// gave, and the least one with which the scan's share is enough.
func (t *tabling) outOfMemory(err error) error {
	var e *plan.MemoryError
	if !errors.As(err, &e) {
		return err
	}
	o := t.bound
	const step, enough = 1 << 20, 1 << 44
	for o.Memory &^= step - 1; scanShare(o, e.Workers) < e.Need && o.Memory < enough; {
		o.Memory += step
	}
	return &plan.MemoryError{Need: o.Memory, Bound: t.bound.Memory, Engine: e.Engine, Workers: e.Workers}
}

func newTabling(spec TableSpec, o Options) (*tabling, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	bound := o
	groups := o.Memory - scanShare(o, workers)
	run, err := table.NewRun(spec, table.Options{Workers: workers, MemBytes: groups, TempDir: os.TempDir()})
	if err != nil {
		return nil, err
	}
	o.Limit = 1 // the first malformed record, where it ends the pass
	o.Memory -= groups
	return &tabling{run: run, options: o, bound: bound, watch: startWatch(o.Receipt)}, nil
}

func (t *tabling) pass(ctx context.Context, names iter.Seq2[string, error], v Visitor) error {
	t.raw = v.Raw
	inputs := 0
	for name, err := range names {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var in *Input
		if err == nil {
			in, err = v.open(name)
		}
		if err != nil {
			if err = v.Done(name, Report{}, err); err != nil {
				return err
			}
			continue
		}
		inputs++
		t.several = inputs > 1
		if err := errors.Join(t.input(ctx, in), in.Close()); err != nil {
			return err
		}
	}
	return nil
}

// input reads one input to its end.
func (t *tabling) input(ctx context.Context, in *Input) error {
	ask, err := t.begin(ctx, in)
	var unread *Unread
	if errors.As(err, &unread) { // not even the first record
		t.total.Unread = append(t.total.Unread, *unread)
		return nil
	}
	if err != nil || t.run.NoRecords() {
		return err
	}
	job, err := newJob(in, ask, t.options)
	if err != nil {
		return err
	}
	job.Emit = func([]Hit) error { return nil }
	r, err := run(ctx, in, ask, job, t.options)
	err = t.outOfMemory(err)
	t.total.Bytes += r.Bytes
	t.total.Unread = append(t.total.Unread, r.Unread...)
	if t.several {
		t.total.Receipt.add(r.Receipt)
	} else {
		t.total.Receipt = r.Receipt
	}
	done := t.run.Done()
	var problem *Problem
	if err == nil && errors.As(done, &problem) {
		if damage := in.damage(ctx); damage != nil {
			// What seems malformed may be what the damage made of the text.
			t.total.Unread = append(t.total.Unread, Unread{Name: in.Name(), Off: problem.Off,
				Err: fmt.Errorf("the record there is malformed (%s), and the file is damaged: %w", problem.Reason, damage)})
			done = nil
		}
	}
	return errors.Join(done, err)
}

// damage reads a compressed file to its end and returns what is wrong with it: of many formats
// a checksum at the end tells that what came before is not what was compressed.
func (in *Input) damage(ctx context.Context) error {
	if in.packed == nil || in.packed.file.Kind != source.Regular {
		return nil
	}
	r := in.packed.reader(in.packed.file.OS(), decompress.Options{Workers: 1, MemBytes: spareBytesMin})
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

// begin looks at the first record of an input.
func (t *tabling) begin(ctx context.Context, in *Input) (inquiry, error) {
	span, err := t.options.span(in.file)
	if err != nil {
		return inquiry{}, err
	}
	ok := false
	err = in.head(ctx, span, table.FirstBytesMax, t.options.Memory, func(head []byte, ended bool) (bool, error) {
		if err := t.foreign(in, span, head); err != nil {
			return false, err
		}
		ok, err = t.run.Input(in.file, span, head, ended)
		return ok, err
	})
	if err != nil {
		return inquiry{}, err
	}
	if !ok {
		return inquiry{}, fmt.Errorf("%s: the first record is longer than %s: is the quote right?",
			in.Name(), bytesText(table.FirstBytesMax))
	}
	if t.run.NoRecords() {
		return inquiry{}, nil
	}
	traits := t.run.Traits(in.file.Kind)
	return inquiry{Traits: &traits, speed: t.run.Speed, begin: func(*Input, source.Range) tasks {
		return tasks{searcher: t.run.Searcher}
	}}, nil
}

// report ends the run.
func (t *tabling) report(complete bool) (TableReport, error) {
	r := TableReport{Report: t.run.Report, Bytes: t.total.Bytes, Unread: t.total.Unread, Receipt: t.total.Receipt}
	r.Complete = complete && len(r.Unread) == 0
	if complete && !r.Complete {
		r.Cut = r.Bytes - r.Seen
	}
	var err error
	if t.several {
		var werr error
		r.Receipt, werr = t.watch.treeReceipt(r.Receipt)
		err = errors.Join(err, werr)
	}
	r.Receipt.refine(t.run.Stages(), t.answering)
	return r, errors.Join(err, t.run.Close())
}

// open opens an input as a visitor wants it.
func (v *Visitor) open(name string) (*Input, error) {
	switch {
	case name == standardInput:
		in := v.Stdin
		if in == nil {
			in = os.Stdin
		}
		if v.Raw {
			return FromFileRaw(name, in)
		}
		return FromFile(name, in)
	case v.Raw:
		return OpenRaw(name)
	}
	return Open(name)
}
