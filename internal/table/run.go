package table

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/kernel/rows"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Options bound a run.
type Options struct {
	Workers  int
	MemBytes int64  // for the groups of all workers
	TempDir  string // for groups beyond that; empty for the system's own

	AheadBytes int // context behind a block; the usual when 0
}

// Run is one pass over one or several inputs that make one table.
type Run struct {
	spec    Spec
	options Options
	form    kernel.Variant[fields.Func]
	sums    rows.Kernel

	*query                 // of the first input; nil before it
	scales      []int      // of the numbers of a column: digits behind the point
	firsts      []*Problem // the first field of each such column that is no number
	seed        uint64     // of the hashes of keys
	emptyBefore int64      // lines without anything in them before the first records
	headers     int64      // bytes before the first records
	head        []byte     // what the first input begins with
	trial       *Run       // what Speed works with
	pass        *pass
	Report      Report

	mu   sync.Mutex
	idle []*worker // of workers that have ended; the next ones go on with them
	all  []*worker
	err  error
}

// Report tells what happened besides the answers.
type Report struct {
	Records   int64 // that fit the filter
	Empty     int64 // lines without anything in them, which are no records
	Malformed int64 // records
	// What the malformed ones take of the inputs: a record in which a quoted field is opened
	// and not closed may have many lines.
	MalformedLines, MalformedBytes int64
	// Seen is how many bytes were gone through: headers, records, malformed ones, and empty
	// lines. Only records that reach into what cannot be read are missing.
	Seen     int64
	Problems []Problem
	Bad      []BadNumbers
}

// BadNumbers tells of the fields of a column that are no numbers.
type BadNumbers struct {
	Column string
	Number int // of the column, from 1
	Count  int64
	First  Problem
}

// Problem is a place where the table is not as it should be.
type Problem struct {
	Name   string // of the input
	Line   int64  // from 1
	Off    int64  // of the record's first byte
	Reason string
}

func (p *Problem) Error() string {
	return fmt.Sprintf("%s, line %d (byte %d): %s", p.Name, p.Line, p.Off, p.Reason)
}

// NewRun begins a run.
func NewRun(s Spec, o Options) (*Run, error) {
	if err := cpu.Err(); err != nil {
		return nil, err
	}
	if err := s.Dialect.check(); err != nil {
		return nil, &SpecError{err}
	}
	return &Run{spec: s, options: o, form: fields.Best(), sums: rows.Best(), seed: rand.Uint64()}, nil
}

// Traits returns what planning must know of the run, valid after Input.
func (r *Run) Traits(kind source.Kind) scan.Traits {
	return scan.Traits{Kernel: r.kernel(), Origin: r.form.ISA.Origin(), AheadOf: r.ahead, Worker: workerBytes,
		Text: true, Lines: kind == source.Stream, Example: r.head,
		InOrder: r.ordered(kind == source.Stream)}
}

// kernel names what the run looks for records with.
func (r *Run) kernel() string { return fmt.Sprintf("fields %v", r.form.ISA) }

// ahead is the context behind a block in which the record that the block ends in usually
// ends. Longer ones of a file are read on, and those of a stream go from block to block.
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
	streamAhead = threshold.New("table: context behind a block of a stream", 64<<10, 1)
	fileAhead   = threshold.New("table: context behind a block of a file", 16<<10, 1)
)

// workerBytes is what a worker needs beside its groups.
const workerBytes = 2 << 20

// pass is one input of a run.
type pass struct {
	file   *source.File
	span   source.Range
	begin  int64 // offset of the first record
	stream bool
	stop   *atomic.Bool
	lost   func(engine.UnreadError)

	states    *scan.Handoff[fields.State] // in which a block begins; nil without quotes
	carried   *scan.Handoff[*long]        // the long record that a block begins in; nil for files
	kept      *scan.Handoff[int64]        // records that fit before a block; nil when nobody asks for n-th ones
	collected atomic.Bool                 // no record is asked for any more
	sums      *scan.Order[sum]
}

// Input begins the next input of the run. Head is what it begins with, and ended tells that
// this is all of it. Ok is false when more has to be known. An input without any record
// need not be scanned: Nothing tells so.
func (r *Run) Input(f *source.File, span source.Range, head []byte, ended bool) (ok bool, err error) {
	first, ok, err := r.spec.Dialect.ReadFirst(head, ended)
	if err != nil || !ok {
		return ok, err
	}
	r.pass = nil
	r.emptyBefore += first.Empty
	if first.Fields == 0 {
		return true, nil
	}
	if err := r.begin(f, first, head); err != nil {
		return true, err
	}
	if first.Bad != nil && r.spec.Malformed == Fail {
		first.Bad.Name, first.Bad.Off = f.Name, first.Bad.Off+span.Off
		first.Bad.Line = 1 + int64(bytes.Count(head[:first.Bad.Off-span.Off], []byte{'\n'}))
		return true, first.Bad
	}
	r.headers += first.Begin
	p := &pass{file: f, span: span, begin: span.Off + first.Begin, stream: f.Kind == source.Stream,
		sums: scan.NewOrder[sum]()}
	if r.Dialect.Quote != 0 {
		p.states = scan.NewHandoff(span.Off, fields.AtField)
	}
	if p.stream {
		p.carried = scan.NewHandoff[*long](span.Off, nil)
	}
	if len(r.nth) > 0 {
		p.kept = scan.NewHandoff(span.Off, r.Report.Records)
	}
	r.pass = p
	return true, nil
}

// begin finds the columns in the first input, and whether others go with it.
func (r *Run) begin(f *source.File, first First, head []byte) (err error) {
	if r.query != nil {
		if err := r.first.same(first); err != nil {
			return fmt.Errorf("%s %w", f.Name, err)
		}
		return nil
	}
	if r.query, err = r.spec.compile(first); err != nil {
		return &SpecError{fmt.Errorf("%s: %w", f.Name, err)}
	}
	r.scales, r.firsts = r.scalesIn(head), make([]*Problem, len(r.numbers))
	head = head[first.Begin:]
	r.head = bytes.Clone(head[:min(len(head), exampleBytes)])
	return nil
}

// exampleBytes is how much of the input stands for the rest in measuring.
const exampleBytes = 64 << 10

// Searcher returns the searcher of one worker; it is a scan.NewSearcher. The groups of a
// worker that has ended are gone on with by the next.
func (r *Run) Searcher(lost func(engine.UnreadError), stop *atomic.Bool) scan.Searcher {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pass.stop == nil { // they are those of the scan, the same for all workers
		r.pass.lost, r.pass.stop = lost, stop
	}
	if n := len(r.idle); n > 0 {
		w := r.idle[n-1]
		r.idle = r.idle[:n-1]
		w.pass, w.block.off = r.pass, -1
		return w
	}
	w, err := newWorker(r)
	if err != nil {
		r.failed(err)
		return nothing{}
	}
	r.all = append(r.all, w)
	return w
}

// nothing stands in for a worker that could not be made.
type nothing struct{}

func (nothing) Search(engine.Block, func(scan.Hit) bool) {}

// fail ends the run with an error.
func (r *Run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed(err)
}

func (r *Run) failed(err error) {
	if r.err == nil {
		r.err = err
	}
	r.pass.stop.Store(true)
}

// Nothing reports whether the current input has no record.
func (r *Run) Nothing() bool { return r.pass == nil }

// Done ends the current input, whose workers have all ended. It returns the *Problem of the
// first malformed record where that is not to be there.
func (r *Run) Done() error {
	if r.err != nil || r.pass == nil {
		return r.err
	}
	var whole sum
	for _, s := range r.pass.sums.Stretches() {
		whole = whole.Then(s)
	}
	return r.take(whole)
}

// Answer writes the answers, in the order of the questions.
func (r *Run) Answer(ctx context.Context, out Output) error {
	r.count()
	if r.query == nil { // no record in all inputs
		var err error
		if r.query, err = r.spec.compile(First{}); err != nil {
			return &SpecError{err}
		}
		r.scales = make([]int, len(r.numbers))
	}
	for _, a := range r.answers {
		if err := a.write(ctx, r, naming{out}); err != nil {
			return err
		}
	}
	return nil
}

// Close gives back what the workers hold.
func (r *Run) Close() (err error) {
	for _, w := range r.all {
		err = errors.Join(err, w.close())
	}
	if r.trial != nil {
		err = errors.Join(err, r.trial.Close())
	}
	return err
}
