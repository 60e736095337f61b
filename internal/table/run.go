// Package table answers questions about delimited text: how many records there are, certain
// records, and groups of records with their counts, sums and other aggregates. It answers all
// questions in one pass.
//
// A worker copies a chunk of its block, finds the delimiters and the ends of records with vector
// instructions, and processes some hundred records at a time, column by column. Each worker has
// its own groups and sums; they are merged after all workers have ended.
//
// If quoted fields may contain line feeds, a block may begin inside a quoted field. So each
// block is first summarized for every state in which it may begin, which is fast, and the
// summaries are composed in file order. When a worker processes the block, it knows where the
// first record begins. Nothing is guessed.
package table

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/kernel/rows"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/table/order"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/row"
	"github.com/thresh-dev/thresh/internal/table/spill"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// Options limit the resources of a run.
type Options struct {
	Workers  int
	MemBytes int64  // for the operators of all workers: groups, records that are sorted or wait to be printed
	TempDir  string // for groups that do not fit; empty for the system's temporary folder

	AheadBytes int // context after a block; 0 for the default

	Rejects *Rejects // where records are kept with values that are not what was asked for; may be nil
}

// Run is one pass over one or several inputs that together form one table.
type Run struct {
	spec    query.Spec
	options Options
	temp    spill.Dir
	variant kernel.Variant[fields.Func]
	quotes  rows.Kernel

	query       *query.Query       // compiled from the first input; nil before it
	scales      []int              // by number column: digits after the point
	firsts      []*failure.Problem // by number column, then by compared: the first field that is not a number
	seed        uint64             // of the hashes of keys
	emptyBefore int64              // empty lines before the first records
	headers     int64              // bytes before the first records
	inputs      int64              // that were begun
	head        []byte             // the beginning of the first input's records
	trial       *Run               // used by Speed
	pass        *pass
	marks       *marks        // of the first join; nil if its left side is not in memory
	out         answer.Writer // of records that are printed while the inputs are read
	printer     *printer      // nil if no records are printed
	samples     []*sample     // by sample of the query
	certain     []*found      // by nth of the query
	bound       *order.Bound  // of records that are sorted; nil if all are wanted
	enough      []byte        // the place after the last record of a limit; nil if it was not reached
	// Others returns the headers of the inputs after the first one. It is called if a question names what the first one
	// does not have. Nil: there are none, or they cannot be read twice.
	Others func() [][]string
	Report Report

	mu   sync.Mutex
	idle []*worker // finished workers, which new searchers reuse with their groups
	all  []*worker
	err  error
}

// Report describes what happened, besides the answers.
type Report struct {
	answer.TableReport
	// Seen is how many bytes were processed: headers, records, malformed records, and empty lines.
	// It excludes only records that extend into an unreadable range.
	Seen int64

	bad, compared []badNumbers
	asked         []askedValues // outside of aggregates
}

// badNumbers are the fields of a column that are not numbers.
type badNumbers struct {
	answer.NonNumeric
	number int // index in query.numbers, or in Run.compared
}

// Public returns the report that a caller of the library gets.
func (r Report) Public() answer.TableReport {
	for _, b := range r.bad {
		r.NonNumeric = append(r.NonNumeric, b.NonNumeric)
	}
	for _, a := range r.asked {
		if i := slices.IndexFunc(r.NonNumeric, func(n answer.NonNumeric) bool { return a.isSame(&n) }); i < 0 {
			r.NonNumeric = append(r.NonNumeric, a.NonNumeric)
		} else if r.NonNumeric[i].Count < a.Count {
			r.NonNumeric[i] = a.NonNumeric
		}
	}
	for _, b := range r.compared {
		r.Compared = append(r.Compared, b.NonNumeric)
	}
	return r.TableReport
}

// NewRun returns a new run.
func NewRun(s query.Spec, o Options) (*Run, error) {
	if err := cpu.Err(); err != nil {
		return nil, err
	}
	if err := s.Dialect.Check(); err != nil {
		return nil, &failure.SpecError{Err: err}
	}
	s.Dialect.Header = s.HasHeader()
	temp := spill.Dir{Name: o.TempDir, Written: new(atomic.Int64)}
	return &Run{spec: s, options: o, temp: temp, variant: fields.Best(), quotes: rows.Best(), seed: rand.Uint64()}, nil
}

// TempBytes returns how many bytes were written to temporary files.
func (r *Run) TempBytes() int64 { return r.temp.Written.Load() }

// Traits returns what the planner must know about the run. It is valid after Input.
func (r *Run) Traits(kind source.Kind) scan.Traits {
	return scan.Traits{Kernel: r.kernel(), AheadOf: r.ahead, Worker: r.WorkerBytes(),
		Text: true, Lines: kind == source.Stream, Example: r.head,
		InOrder: r.query.Ordered(kind == source.Stream)}
}

// kernel names the kernel that finds the records.
func (r *Run) kernel() string { return fmt.Sprintf("fields %v", r.variant.ISA) }

// ahead returns the size of the context after a block. A record that begins in the block usually
// ends within its context. For a longer record, a worker reads on in a file; in a stream, the
// workers pass it on from block to block.
func (r *Run) ahead(kind source.Kind) int {
	switch {
	case r.options.AheadBytes > 0:
		return r.options.AheadBytes
	case kind == source.Stream:
		return streamAhead.Get()
	}
	return fileAhead.Get()
}

var (
	streamAhead = threshold.New("table: context after a block of a stream", 64<<10, 1)
	fileAhead   = threshold.New("table: context after a block of a file", 16<<10, 1)
)

// fixedBytes is the memory of a worker without its groups and expressions.
const fixedBytes = 2 << 20

// columnBytes is the memory of a worker for a column that is used.
const columnBytes = 10 << 10

// WorkerBytes returns the memory of a worker without its share of Options.MemBytes.
func (r *Run) WorkerBytes() int64 {
	n := fixedBytes + columnBytes*int64(len(r.query.Wanted)+len(r.query.Numbers))
	if r.options.Rejects != nil {
		n += int64(rejectsBytes.Get())
	}
	if r.query.Filter != nil {
		n += r.query.Filter.WorkerBytes()
	}
	for _, s := range r.query.Scopes {
		if s.Filter != nil {
			n += s.Filter.WorkerBytes()
		}
	}
	for _, g := range r.query.Groups {
		for _, k := range g.Keys {
			n += k.WorkerBytes()
		}
	}
	for _, d := range r.query.Derived.All {
		if d.Key != nil {
			n += d.Key.WorkerBytes()
		}
	}
	return n
}

// pass is one input of a run.
type pass struct {
	number int64 // of the input, ascending
	file   *source.File
	span   source.Range
	begin  int64 // offset of the first record
	layout
	// afterFeed says that a line comes before the first record: a header, or one that is left out.
	afterFeed bool
	stream    bool
	stop      *atomic.Bool
	lost      func(failure.UnreadError)

	states    *scan.Handoff[fields.State] // the state at the start of a block; nil without quotes
	carried   *scan.Handoff[*longRecord]  // the long record that continues in a block; nil for files
	fitting   *scan.Handoff[int64]        // matching records before a block; nil without an n-th question
	collected atomic.Bool                 // all n-th records have been found
	turns     *scan.Handoff[*printer]     // the turn to print records; nil without a Select
	partials  *scan.Order[partial]
}

// Input begins the next input of the run. head is the beginning of the input; ended is true if
// head is the whole input. If ok is false, Input must be called again with more bytes. An input
// without records need not be scanned; see NoRecords.
func (r *Run) Input(f *source.File, span source.Range, head []byte, ended bool) (ok bool, err error) {
	first, ok, err := r.spec.Dialect.ReadFirst(head, ended)
	if err != nil || !ok {
		return ok, err
	}
	r.pass = nil
	r.inputs++
	r.emptyBefore += first.Empty
	if first.Fields == 0 {
		return true, nil
	}
	if err := r.begin(f, first, head); err != nil {
		return true, err
	}
	at, err := r.layout(f.Name, first)
	if err != nil {
		return true, err
	}
	if first.Bad != nil && r.spec.Malformed == options.MalformedFail {
		first.Bad.Name, first.Bad.Off = f.Name, first.Bad.Off+span.Off
		first.Bad.Line = 1 + int64(bytes.Count(head[:first.Bad.Off-span.Off], []byte{'\n'}))
		return true, first.Bad
	}
	if r.options.Rejects != nil {
		if err := r.options.Rejects.begin(f.Name, head, first); err != nil {
			return true, err
		}
	}
	r.headers += first.Begin
	p := &pass{number: r.inputs, layout: at, file: f, span: span, begin: span.Off + first.Begin,
		stream:    f.Kind == source.Stream,
		afterFeed: r.query.Dialect.Header || r.query.Dialect.SkipLines > 0,
		partials:  scan.NewOrder[partial]()}
	if r.query.Dialect.Fields().Quoted {
		p.states = scan.NewHandoff(span.Off, fields.AtField)
	}
	if p.stream {
		p.carried = scan.NewHandoff[*longRecord](span.Off, nil)
	}
	if len(r.query.Nth) > 0 {
		p.fitting = scan.NewHandoff(span.Off, r.Report.Records)
	}
	if r.query.Streams() {
		p.turns = scan.NewHandoff(span.Off, r.printer)
	}
	r.pass = p
	return true, nil
}

// begin compiles the query for the first input.
func (r *Run) begin(f *source.File, first query.First, head []byte) (err error) {
	if r.query != nil {
		return nil
	}
	if r.query, err = r.compileWithOthers(first); err != nil {
		return &failure.SpecError{Err: fmt.Errorf("%s: %w", f.Name, err)}
	}
	r.scales, r.firsts = r.scalesIn(head), r.noFirsts()
	r.begun()
	for _, a := range r.query.Groups {
		a.SetScales(r.scales)
	}
	for i, a := range r.query.Plans {
		if failed, ok := a.(query.FailedPlan); ok {
			r.query.Plans[i] = query.FailedPlan{Err: fmt.Errorf("%s: %w", f.Name, failed.Err)}
		}
	}
	head = head[first.Begin:]
	r.head = bytes.Clone(head[:min(len(head), exampleBytes)])
	return nil
}

// exampleBytes is how much of the input is used as an example to measure the speed.
const exampleBytes = 64 << 10

// Searcher returns the searcher of one worker; it is a scan.NewSearcher. It reuses a finished
// worker if there is one, and continues with that worker's groups.
func (r *Run) Searcher(lost func(failure.UnreadError), stop *atomic.Bool) scan.Searcher {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pass.stop == nil { // both belong to the scan and are the same for all workers
		r.pass.lost, r.pass.stop = lost, stop
	}
	if n := len(r.idle); n > 0 {
		w := r.idle[n-1]
		r.idle = r.idle[:n-1]
		w.take(r.pass)
		return w
	}
	if r.query.Printed != nil && r.out == nil {
		r.failed(errors.New("records are selected, but there is no place for them"))
		return failedSearcher{}
	}
	w, err := newWorker(r)
	if err != nil {
		r.failed(err)
		return failedSearcher{}
	}
	r.all = append(r.all, w)
	return w
}

// failedSearcher replaces a worker that could not be made. It does nothing.
type failedSearcher struct{}

func (failedSearcher) Search(engine.Block, func(answer.Hit) bool) {}

// fail ends the run with an error.
func (r *Run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed(err)
}

// failed is fail with r.mu held.
func (r *Run) failed(err error) {
	if r.err == nil {
		r.err = err
	}
	r.pass.stop.Store(true)
}

// NoRecords reports whether the current input has no records.
func (r *Run) NoRecords() bool { return r.pass == nil }

// Done ends the current input. All its workers must have ended. If the first malformed record
// is an error (Malformed is Fail), Done returns its *Problem.
func (r *Run) Done() error {
	if r.err != nil || r.pass == nil {
		return r.err
	}
	err := r.report(r.pass.file.Name, r.pass.whole())
	if err != nil && r.query.Streams() { // the records before it are printed
		return errors.Join(err, r.printer.end())
	}
	return err
}

// whole returns the partial result of all that was read.
func (p *pass) whole() (whole partial) {
	for _, s := range p.partials.Stretches() {
		whole = whole.Then(s)
	}
	return whole
}

// Answer writes the answers, in the order of the questions. After an error of a worker there is none, and Answer
// returns that error.
func (r *Run) Answer(ctx context.Context, out answer.Writer) error {
	if err := r.prepare(ctx); err != nil {
		return err
	}
	for i := range r.query.Plans {
		if err := r.write(ctx, i, row.Complete(out, r.spec.SQL)); err != nil {
			return err
		}
	}
	return nil
}

// AnswerOne writes the answer to one question, as Answer does. Each may be asked for once.
func (r *Run) AnswerOne(ctx context.Context, question int, out answer.Writer) error {
	if err := r.prepare(ctx); err != nil {
		return err
	}
	return r.write(ctx, question, row.Complete(out, r.spec.SQL))
}

func (r *Run) write(ctx context.Context, question int, out answer.Writer) error {
	switch p := r.query.Plans[question].(type) {
	case *query.GroupPlan:
		return r.writeGroups(ctx, p, out)
	case *query.SelectPlan:
		return r.writeSelected(out)
	case *query.SortPlan:
		return r.writeSorted(ctx, p, out)
	case *query.SamplePlan:
		return r.writeSample(p, out)
	case *query.NthPlan:
		return r.writeNth(r.certain[p.Index], out)
	case *query.ProfilePlan:
		return r.writeProfile(ctx, p, out)
	case query.FailedPlan:
		return &failure.SpecError{Err: p.Err}
	}
	return r.writeRows(out)
}

// prepare ends what comes before the answers.
func (r *Run) prepare(ctx context.Context) error {
	if r.err != nil {
		return r.err
	}
	r.count()
	if err := r.Settle(); err != nil { // no input has any record
		return err
	}
	if err := r.checkExpressions(); err != nil {
		return err
	}
	return r.keepRejects(ctx)
}

// Close frees the resources of the workers.
func (r *Run) Close() (err error) {
	for _, w := range r.all {
		err = errors.Join(err, w.close())
	}
	if r.trial != nil {
		err = errors.Join(err, r.trial.Close())
	}
	return err
}
