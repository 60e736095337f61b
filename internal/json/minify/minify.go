// Package minify removes the white space from JSON texts of any size, with several workers.
//
// Whether a byte is in a string depends on all the bytes before it. So an ordered handoff passes
// the state from block to block, in file order. A worker summarizes its block for every possible
// state, which is quick, then takes the state at the block's start, and hands over the state at its
// end before it does anything else. So all blocks are minified and validated in parallel. Two
// more handoffs follow: the validator, which joins the summaries of the blocks in order, and the
// offset of the next block in the output. A regular file is then written by all workers at once,
// any other output block after block.
//
//	state handoff          |--0--|--1--|--2--|
//	block 0                 [minify and summarize][join][write]
//	block 1                       [minify and summarize][join][write]
//	join, output handoffs                       |--0--|--1--|--2--|
//
// A text may hold many values. A line feed then separates two of them: see textstate.go.
package minify

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/json/jsontext"
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/minify"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// Run minifies one text.
type Run struct {
	options.Minify
	file    *source.File
	out     *Output
	variant kernel.Variant[minify.Kernel]
	scan    jsonscan.Func
	states  *scan.Handoff[textState]
	valid   *scan.Handoff[*jsontext.Validator] // nil without validation
	outputs *scan.Handoff[outputState]
	block   int          // bytes of the largest block
	ends    atomic.Int64 // the known end of the text in the output
	written atomic.Int64 // bytes written
	spent   atomic.Int64 // nanoseconds spent writing, by all workers

	workers atomic.Int32

	mu   sync.Mutex
	idle []*worker    // finished workers; the next phase reuses them with their buffers
	stop *atomic.Bool // the scan's
	err  error
}

// outputState is the state of the output before a block.
type outputState struct {
	off     int64
	several bool // some value so far directly follows another
}

// tileBytes is how many bytes of a block are classified, minified and summarized at a time.
var tileBytes = threshold.NewMultiple("minify: bytes of a block processed at a time", jsonscan.TileBytes,
	jsonscan.BlockBytes, jsonscan.BlockBytes)

// blockBytes is the default size of the largest block. It is what the plan chooses for scans in
// which order matters.
const blockBytes = 512 << 10

// NewRun prepares to minify a text in blocks of at most chunk bytes; 0 means blockBytes. out may
// be nil if the run is only planned.
func NewRun(f *source.File, out *Output, s options.Minify, chunk int) (*Run, error) {
	if err := cpu.Err(); err != nil {
		return nil, err
	}
	r := &Run{Minify: s, file: f, out: out, variant: minify.Best(), scan: jsonscan.Best().Func, block: chunk,
		states: scan.NewHandoff(0, textState{}), outputs: scan.NewHandoff(0, outputState{})}
	if s.Validate {
		values := jsontext.Several
		if s.NDJSON {
			values = jsontext.Any
		}
		r.valid = scan.NewHandoff(0, jsontext.New(s.DepthMax, values))
	}
	if chunk == 0 {
		r.block = blockBytes
	}
	return r, nil
}

// Traits describes the run for planning.
func (r *Run) Traits() scan.Traits {
	return scan.Traits{Kernel: r.kernel(), Worker: r.workerBytes(), Text: true,
		Example: []byte(example), InOrder: true}
}

func (r *Run) kernel() string { return fmt.Sprintf("minify %v", r.variant.ISA) }

// workerBytes is the memory of a worker: its buffer. The rest is small.
func (r *Run) workerBytes() int64 { return int64(outBytes(r.block)) }

// example is a sample of a typical large text.
const example = `    {
      "id": 174432,
      "name": "Ines Álvarez",
      "tags": ["a", "bc"],
      "text": "a \"quoted\" word",
      "score": 17.25
    },
`

// Searcher returns the searcher of one worker; it is a scan.NewSearcher.
func (r *Run) Searcher(_ func(failure.UnreadError), stop *atomic.Bool) scan.Searcher {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop = stop // the same for all workers
	if n := len(r.idle); n > 0 {
		w := r.idle[n-1]
		r.idle = r.idle[:n-1]
		return w
	}
	r.workers.Add(1)
	w := &worker{Run: r, stop: stop, describer: jsonscan.NewDescriber(r.scan)}
	if r.Validate {
		w.sum = jsontext.NewSum(r.DepthMax)
	}
	return w
}

// fail stops the scan and keeps the first error.
func (r *Run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
	r.stop.Store(true)
}

// Speed minifies b and discards the result, to measure the speed.
func (r *Run) Speed(b []byte) {
	speed := &Run{Minify: r.Minify, variant: r.variant, scan: r.scan, block: blockBytes}
	w := &worker{Run: speed, describer: jsonscan.NewDescriber(r.scan)}
	if r.Validate {
		w.sum = jsontext.NewSum(r.DepthMax)
	}
	for len(b) > 0 {
		n := min(len(b), blockBytes)
		w.minify(b[:n], textState{})
		b = b[n:]
	}
}

// Done ends the text and returns how many bytes were written. complete says whether the whole input
// was read. All workers must have ended.
func (r *Run) Done(complete bool) (int64, error) {
	err := r.err
	if err == nil && complete {
		err = r.end()
	}
	err = errors.Join(err, r.out.advance(r.ends.Load()))
	return r.written.Load(), err
}

// end checks that the text may end, and writes the last line feed if there is one.
func (r *Run) end() error {
	if r.Validate {
		v, _ := r.valid.Last()
		if err := v.Close(); err != nil {
			return r.invalid(err)
		}
	}
	last, _ := r.states.Last()
	out, _ := r.outputs.Last()
	if out.off == 0 || !r.EndLine && !(last.feed && (r.NDJSON || out.several)) {
		return nil
	}
	r.ends.Store(out.off + 1)
	return r.write([]byte{'\n'}, out.off)
}

func (r *Run) invalid(err error) error {
	if e, ok := errors.AsType[*jsontext.SyntaxError](err); ok {
		return &failure.JSONError{Name: r.file.Name, Off: e.Offset, Line: e.Line, Column: e.Column, Reason: e.Reason}
	}
	return err
}

// write writes a minified block, and measures the time that takes.
func (r *Run) write(b []byte, at int64) error {
	began := time.Now()
	n, err := r.out.write(b, at)
	r.spent.Add(int64(time.Since(began)))
	r.written.Add(int64(n))
	return err
}

// Writing returns how long the output was being written. All workers write to a regular file at the
// same time, so their times are averaged. Any other output has one writer at a time, so their
// times add up.
func (r *Run) Writing() time.Duration {
	spent := time.Duration(r.spent.Load())
	if r.out.Anywhere() {
		return spent / time.Duration(max(1, r.workers.Load()))
	}
	return spent
}
