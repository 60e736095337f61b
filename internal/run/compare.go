package run

import (
	"context"
	"errors"
	"math"
	"os"
	"sync/atomic"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/direct"
	"github.com/thresh-dev/thresh/internal/engine/pair"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/search/differ"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// Compare calls visit with the ranges in which two inputs differ, in ascending order.
func Compare(ctx context.Context, a, b *Input, spec options.Compare, visit func([]answer.Hit) error) (answer.Comparison,
	error) {
	c, o, err := newComparison(a, b, spec)
	if err != nil {
		return answer.Comparison{First: -1}, err
	}
	if c.same() {
		n := c.left(0)
		return answer.Comparison{Equal: true, First: -1, Compared: n, Skipped: n, Complete: true}, nil
	}
	job, err := c.job(&o)
	if err != nil {
		return answer.Comparison{First: -1}, err
	}
	ranges := joiner{block: spec.BlockBytes, span: c.span(), visit: visit}
	rest := settling{comparison: c, ranges: &ranges, off: c.offs[0]}
	if spec.Settled != nil {
		job.Settled = rest.settle
	}
	job.Emit = func(hits []answer.Hit) error {
		for i := range hits {
			hits[i].Off += c.back()
		}
		return ranges.add(hits)
	}
	report, err := run(ctx, c.driver(), c.ask(), job, o)
	if err == nil {
		err = ranges.flush(c.span().Off + min(c.lengths(report)))
	}
	if err == nil && spec.Settled != nil {
		err = rest.end(report)
	}
	return c.answer(report, &ranges, err == nil), err
}

// ExplainCompare returns the plan for a call of Compare with the same arguments.
func ExplainCompare(a, b *Input, spec options.Compare) (Plan, error) {
	c, o, err := newComparison(a, b, spec)
	if err != nil {
		return Plan{}, err
	}
	p, err := explain(c.driver(), c.ask(), o)
	if err == nil {
		p.Lines = append([]string{"compared:   " + a.Name() + " and " + b.Name()}, p.Lines...)
	}
	return p, err
}

// comparison is two inputs in the order in which they are read: the first one decides how, so a stream, or else an
// object on another machine, comes first.
type comparison struct {
	spec    options.Compare
	inputs  [2]*Input
	offs    [2]int64
	swapped bool
	inOrder bool
	ends    pair.Ends
	direct  [2]atomic.Bool
	search  *differ.Run
	pair    plan.Pair
	traits  scan.Traits
}

func newComparison(a, b *Input, spec options.Compare) (*comparison, Options, error) {
	o := Options{Run: spec.Run, Offset: spec.Offset, Length: spec.Length, Context: spec.Context}
	switch {
	case spec.Other < 0:
		return nil, o, badOption("Other", spec.Other, "offset %d is negative", spec.Other)
	case spec.BlockBytes < 0:
		return nil, o, badOption("BlockBytes", spec.BlockBytes, "a block of %d bytes is negative", spec.BlockBytes)
	case spec.Settled != nil && (spec.First || spec.BlockBytes > 1):
		return nil, o, badOption("Settled", nil, "it goes neither with First nor with BlockBytes")
	}
	if err := o.check(); err != nil {
		return nil, o, err
	}
	c := &comparison{spec: spec, inputs: [2]*Input{a, b}, offs: [2]int64{spec.Offset, spec.Other}}
	if a == b {
		return nil, o, badOption("b", nil, "one input is given twice: open it a second time")
	}
	if b.precedence() > a.precedence() {
		c.swapped = true
		c.inputs[0], c.inputs[1], c.offs[0], c.offs[1] = b, a, spec.Other, spec.Offset
	}
	for i, in := range c.inputs {
		if n, known := in.Bytes(); known {
			c.offs[i] = min(c.offs[i], n)
		}
		if err := in.compressed.refuse(in.Name(), string(o.Engine)); err != nil {
			return nil, o, err
		}
	}
	c.inOrder = c.inputs[0].file.Kind == source.Stream || o.Engine == options.EngineStream
	c.search = differ.New(c.offs[0], spec.First)
	c.traits = c.search.Traits()
	c.pair = pairOf(c.inputs[0].file, c.inputs[1].file)
	c.pair.Past = c.pair.Past || spec.Past
	c.setRange(&o)
	return c, o, nil
}

// precedence says which of two inputs comes first.
func (in *Input) precedence() int {
	switch in.file.Kind {
	case source.Stream:
		return 2
	case source.Remote:
		return 1
	}
	return 0
}

// pairOf returns what matters for the plan about two files.
func pairOf(a, b *source.File) plan.Pair {
	one, rotates := a.Disk()
	other, otherRotates := b.Disk()
	return plan.Pair{Past: a.Kind == source.Device || b.Kind == source.Device, Rotating: rotates || otherRotates,
		OneDisk: one == other && one != ""}
}

// setRange sets the range of the first input that is read, and where the second one ends.
func (c *comparison) setRange(o *Options) {
	o.Offset = c.offs[0]
	n := c.left(0)
	if _, known := c.inputs[0].Bytes(); known {
		n = min(n, c.left(1))
	} else if more := c.left(1); more < n { // a byte more says whether the stream goes on
		n = more + 1
	}
	c.ends.Second.Store(math.MaxInt64)
	if bytes, known := c.inputs[1].Bytes(); known {
		c.ends.Second.Store(c.offs[0] + bytes - c.offs[1])
	} else if !c.spec.Prefix {
		c.ends.Until = c.offs[0] + min(n, math.MaxInt64-c.offs[0])
	}
	if o.Length = &n; n == math.MaxInt64 {
		o.Length = nil
	}
	if c.inOrder {
		o.Workers = 1
	}
}

// left returns how many bytes of an input are to be compared; math.MaxInt64 if that is not known.
func (c *comparison) left(i int) int64 {
	left := int64(math.MaxInt64)
	if n, known := c.inputs[i].Bytes(); known {
		left = n - c.offs[i]
	}
	if c.spec.Length != nil {
		left = min(left, *c.spec.Length)
	}
	return left
}

// back returns what to add to an offset in the input that is read first for that in the caller's first one.
func (c *comparison) back() int64 {
	if c.swapped {
		return c.offs[1] - c.offs[0]
	}
	return 0
}

// span returns the compared range of the caller's first input, as far as it is known.
func (c *comparison) span() source.Range {
	off := c.offs[0] + c.back()
	n := min(c.left(0), c.left(1))
	return source.Range{Off: off, End: off + min(n, math.MaxInt64-off)}
}

// same reports whether both inputs are the same part of the same file, which is then not read; unless the caller asks
// for what is settled, since that is to be known of each byte.
func (c *comparison) same() bool {
	a, b := c.inputs[0].file, c.inputs[1].file
	if c.spec.Settled != nil || c.offs[0] != c.offs[1] || a.Kind != source.Regular || b.Kind != source.Regular ||
		a.OS() == nil || b.OS() == nil {
		return false
	}
	one, err := a.OS().Stat()
	other, otherErr := b.OS().Stat()
	return err == nil && otherErr == nil && os.SameFile(one, other)
}

// driver returns the input by which the scan is planned.
func (c *comparison) driver() *Input {
	if c.inputs[0].file.Kind == source.Stream {
		return c.inputs[0]
	}
	both := *c.inputs[0]
	both.file = both.file.Beside(c.inputs[1].file, c.offs[1]-c.offs[0])
	return &both
}

func (c *comparison) ask() request {
	return request{Traits: &c.traits, speed: c.search.Speed, pair: &c.pair,
		begin: func(*Input, source.Range) tasks { return tasks{searcher: c.search.Searcher} }}
}

// job prepares the scan.
func (c *comparison) job(o *Options) (job *scan.Job, err error) {
	if c.spec.First && !c.pair.Past {
		o.Limit = 1
		job, err = newSearch(c.driver(), c.ask(), *o)
	} else {
		if c.spec.First {
			o.Limit = 1
		}
		job, err = newJob(c.driver(), c.ask(), *o)
	}
	if err != nil {
		return nil, err
	}
	job.Open = c.open(*o)
	return job, nil
}

// open returns the function that opens an engine for both inputs.
func (c *comparison) open(o Options) scan.OpenEngine {
	return func(name string, _ *source.File, config engine.Config) (engine.Engine, error) {
		config.SpareBytes /= 2
		first, err := c.openSide(0, name, o, config)
		if err != nil {
			return nil, err
		}
		second, err := c.openSide(1, name, o, config)
		if err != nil {
			return nil, errors.Join(err, first.Engine.Close())
		}
		return pair.Open(first, second, c.offs[1]-c.offs[0], c.inOrder, &c.ends), nil
	}
}

// pairBlockBytes is the size of one read of each input: the blocks of both stay in the core's second cache. With blocks
// of 1 MiB, which suit one input, 4 GB of two cached files took 7 % more processor time on cores with 1 MiB of it.
var pairBlockBytes = threshold.New("run: read of two inputs", 256<<10, 16)

// openSide opens the engine of one input: the one that was chosen, if it can read the input.
func (c *comparison) openSide(i int, name string, o Options, config engine.Config) (pair.Side, error) {
	in := c.inputs[i]
	switch kind := in.file.Kind; {
	case kind == source.Stream:
		name = plan.Stream
	case kind == source.Memory:
		name = plan.Memory
	case name == plan.Stream && o.Engine == options.EngineStream:
	case kind == source.Remote:
		name = plan.Ranges
	case name == plan.Stream && c.pair.Past && o.Engine == options.EngineAuto:
		name = plan.Direct // beside a stream, which decides how both are read
	case kind == source.ReaderAt, name == plan.Stream, name == plan.Ranges, name == plan.Memory:
		name = plan.Pread
	}
	if name == plan.Direct {
		e, err := direct.Open(in.file, config)
		if !errors.As(err, new(*failure.EngineError)) {
			c.direct[i].Store(err == nil)
			return pair.Side{File: in.file, Engine: e}, err
		}
		name = plan.Pread
	}
	if name == plan.Pread && config.BlockBytes == 0 {
		config.BlockBytes = pairBlockBytes.Get()
	}
	e, err := in.engines(o)(name, in.file, config)
	return pair.Side{File: in.file, Engine: e}, err
}

// answer puts together what was found.
func (c *comparison) answer(r Report, ranges *joiner, ended bool) answer.Comparison {
	a := answer.Comparison{First: ranges.first, Ranges: ranges.count, Bytes: r.Bytes, Skipped: r.Skipped,
		Different: c.search.Different.Load(), Complete: r.Complete && ended, Unread: r.Unread, Receipt: r.Receipt}
	if ranges.count == 0 {
		a.First = -1
	}
	if c.spec.First {
		a.Different = 0 // it was not counted
	}
	first, second := c.lengths(r)
	a.Compared = min(first, second)
	switch found := a.First >= 0 && c.spec.First; {
	case found || !a.Complete || first == second:
	case first > second != c.swapped:
		a.Longer = 1
	default:
		a.Longer = 2
	}
	if c.spec.First && a.First >= 0 {
		a.Line = c.search.Line(a.First - c.back())
	}
	a.Equal = a.Complete && a.First < 0 && (a.Longer == 0 || a.Longer == 2 && c.spec.Prefix)
	for i := range a.Unread {
		if other := new(pair.OtherError); errors.As(a.Unread[i].Err, &other) {
			a.Unread[i].Err = other.Err
			a.Unread[i].Off += c.offs[1] - c.offs[0]
		}
	}
	a.Direct = c.areDirect()
	return a
}

// areDirect returns which of the caller's inputs are read past the page cache.
func (c *comparison) areDirect() [2]bool {
	first := c.theirs(0)
	return [2]bool{c.direct[first].Load(), c.direct[1-first].Load()}
}

// theirs returns which of the caller's inputs is read first or second: 0 or 1.
func (c *comparison) theirs(i int) int {
	if c.swapped {
		return 1 - i
	}
	return i
}

// lengths returns how long the inputs are, in the order in which they are read, as far as they were.
func (c *comparison) lengths(r Report) (first, second int64) {
	read := r.Bytes + r.Skipped
	for _, u := range r.Unread {
		if errors.As(u.Err, new(*pair.OtherError)) { // there the first one was read
			read += u.Len
		}
	}
	first, second = c.left(0), c.left(1)
	if first == math.MaxInt64 || c.inOrder && c.inputs[0].file.Kind == source.Stream {
		first = min(first, read)
	}
	if end := c.ends.Second.Load(); c.inputs[1].file.Kind != source.Stream {
		return first, second
	} else if end < math.MaxInt64 {
		return first, min(second, end-c.offs[0])
	}
	second = first // it was not seen to end
	if c.ends.GoesOn.Load() {
		second++
	}
	return first, second
}
