// Package minify takes the white space out of JSON texts of any size, by several workers, and
// writes what stays where it belongs.
//
// What a byte means depends on whether it lies in a string, which follows from all before it.
// A gate hands that on from block to block in file order. A worker that finds the state of its
// block there minifies at once; one that does not meanwhile sums its block up for every state,
// and then hands on the state behind it before it minifies. A second gate hands on where in
// the output the next block goes. A file is then written at many places at once, and anything
// else by who has the turn.
//
//	state gate    |--0--|--1--|--2--|      a sum each, if it has to be waited for
//	block 0       [validate][minify][write]
//	block 1             [validate][minify][write]
//	output gate                     |--0--|--1--|--2--|
//
// Texts of many values, as NDJSON has them, need to know how deep in brackets a place is, too:
// see values.go. The validator takes the blocks in order, each by the worker that has it.
package minify

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/jsontext"
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/minify"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/source"
)

// Spec says what is wanted.
type Spec struct {
	NDJSON   bool // one line feed between the values of a text of many
	Validate bool // a text that is not JSON is an error
	DepthMax int  // of a text to be valid; jsontext.DepthMax when 0
	EndFeed  bool // a text that holds anything ends with a line feed, for others to follow it
}

// Run minifies one text.
type Run struct {
	Spec
	file    *source.File
	out     *Output
	form    kernel.Variant[minify.Kernel]
	scan    jsonscan.Func
	states  *scan.Gate[minify.State]
	values  *scan.Gate[values]              // of NDJSON
	valid   *scan.Gate[*jsontext.Validator] // nil without validation
	turns   *scan.Gate[int64]               // where the next block goes in the output
	block   int                             // bytes of the largest block
	written atomic.Int64                    // bytes of the output that are written, or being written
	spent   atomic.Int64                    // nanoseconds in writing, all workers

	mu      sync.Mutex
	workers int
	idle    []*worker    // of a phase that has ended; the next goes on with their buffers
	stop    *atomic.Bool // the scan's
	err     error
}

// SyntaxError tells that an input is not JSON.
type SyntaxError struct {
	Name string // of the input
	*jsontext.SyntaxError
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s is %v", e.Name, e.SyntaxError) }
func (e *SyntaxError) Unwrap() error { return e.SyntaxError }

// blockBytes is what blocks are at most, unless larger pieces are asked for: as much as the
// plan hands out where order matters.
const blockBytes = 512 << 10

// NewRun begins a text, of which pieces of chunk bytes are worked on, or the usual when chunk is 0.
// Out may be nil where nothing is to be run.
func NewRun(f *source.File, out *Output, s Spec, chunk int) (*Run, error) {
	if err := cpu.Err(); err != nil {
		return nil, err
	}
	r := &Run{Spec: s, file: f, out: out, form: minify.Best(), scan: jsonscan.Best().Func, block: chunk,
		states: scan.NewGate(0, minify.State{}), values: scan.NewGate(0, values{}), turns: scan.NewGate(0, int64(0))}
	if s.Validate {
		r.valid = scan.NewGate(0, jsontext.New(s.DepthMax, s.NDJSON))
	}
	if chunk == 0 {
		r.block = blockBytes
	}
	return r, nil
}

// Traits returns what planning must know of the run.
func (r *Run) Traits() scan.Traits {
	return scan.Traits{Kernel: r.kernel(), Worker: r.workerBytes(), Text: true,
		Example: []byte(example), InOrder: true}
}

func (r *Run) kernel() string { return fmt.Sprintf("minify %v", r.form.ISA) }

// bufferBytes is what stays of a block at most.
func (r *Run) bufferBytes() int {
	if r.NDJSON {
		return 2 * r.block
	}
	return r.block
}

// workerBytes is what a worker needs: its buffer, and of NDJSON the list of words.
func (r *Run) workerBytes() int64 {
	if r.NDJSON {
		return int64(r.bufferBytes()) + 2*int64(r.block) + int64(r.block)/8
	}
	return int64(r.bufferBytes())
}

// example is what most texts are like that are worth the trouble.
const example = `    {
      "id": 174432,
      "name": "Ines Álvarez",
      "tags": ["a", "bc"],
      "text": "a \"quoted\" word",
      "score": 17.25
    },
`

// Searcher returns the searcher of one worker; it is a scan.NewSearcher.
func (r *Run) Searcher(_ func(engine.UnreadError), stop *atomic.Bool) scan.Searcher {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop = stop // the same for all workers
	if n := len(r.idle); n > 0 {
		w := r.idle[n-1]
		r.idle = r.idle[:n-1]
		return w
	}
	r.workers++
	return &worker{Run: r, stop: stop}
}

// fail ends the run with an error.
func (r *Run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
	r.stop.Store(true)
}

// Speed minifies b to nowhere. It serves to measure how fast that is.
func (r *Run) Speed(b []byte) {
	dst := make([]byte, min(len(b), blockBytes))
	var at minify.State
	for len(b) > 0 {
		n := min(len(b), len(dst))
		_, at = r.form.Func.Minify(dst, b[:n], at)
		b = b[n:]
	}
}

// Done ends the text, of which all was read if complete, and returns how many bytes were written.
// All workers have ended.
func (r *Run) Done(complete bool) (int64, error) {
	written, err := r.written.Load(), r.err
	if err == nil && complete {
		var more int64
		more, err = r.end(written)
		written += more
	}
	return written, errors.Join(err, r.out.advance(written))
}

// end writes what follows the last value.
func (r *Run) end(written int64) (more int64, err error) {
	if r.Validate {
		v, _ := r.valid.Last()
		if err := v.Close(); err != nil {
			return 0, r.invalid(err)
		}
	}
	v, _ := r.values.Last()
	if written == 0 || !r.EndFeed && !(r.NDJSON && v.fed) {
		return 0, nil
	}
	if err := r.write([]byte{'\n'}, written); err != nil {
		return 0, err
	}
	return 1, nil
}

func (r *Run) invalid(err error) error {
	var e *jsontext.SyntaxError
	if errors.As(err, &e) {
		return &SyntaxError{r.file.Name, e}
	}
	return err
}

// write writes what stays of a block.
func (r *Run) write(b []byte, at int64) error {
	began := time.Now()
	defer func() { r.spent.Add(int64(time.Since(began))) }()
	return r.out.write(b, at)
}

// Writing returns for how much of the time the output was written to. Who writes to a file does
// so beside the others, each of whom may be doing the same; what is written in order, only one
// writes at a time.
func (r *Run) Writing() time.Duration {
	spent := time.Duration(r.spent.Load())
	if r.out.Anywhere() {
		return spent / time.Duration(max(1, r.workers))
	}
	return spent
}
