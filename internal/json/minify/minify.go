// Package minify takes the white space out of JSON texts of any size, by several workers, and
// writes what stays where it belongs.
//
// What a byte means depends on whether it lies in a string, which follows from all before it.
// A gate hands that on from block to block in file order. A worker sums its block up for every
// state, which is quick, takes the state from the gate, and hands the one behind the block on
// before it does anything else. So all blocks are minified, and validated, at the same time.
// Two more gates are for what follows: one for the validator, which joins the
// sums of the blocks in order, and one for where in the output the next block goes. A file is
// then written at many places at once, and anything else in turn.
//
//	state gate      |--0--|--1--|--2--|
//	block 0          [minify and sum up][join][write]
//	block 1                [minify and sum up][join][write]
//	join, output gate                    |--0--|--1--|--2--|
//
// Between the values of a text of many a line feed stays: see place.go.
package minify

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/json/jsontext"
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/minify"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Spec says what is wanted. A text of several values has one line feed between two of them, and
// one behind the last if there is any in the input.
type Spec struct {
	NDJSON   bool // that holds for a text of one value too, and a text without any is valid
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
	states  *scan.Handoff[place]
	valid   *scan.Handoff[*jsontext.Validator] // nil without validation
	turns   *scan.Handoff[outPlace]
	block   int          // bytes of the largest block
	ends    atomic.Int64 // where the text ends in the output, as far as it is known
	written atomic.Int64 // bytes of it that were written
	spent   atomic.Int64 // nanoseconds in writing, all workers

	workers atomic.Int32

	mu   sync.Mutex
	idle []*worker    // of a phase that has ended; the next goes on with their buffers
	stop *atomic.Bool // the scan's
	err  error
}

// outPlace is where in the output a block goes.
type outPlace struct {
	off     int64
	several bool // a value before it directly follows another
}

// tileBytes is what is described, minified and summed up together.
var tileBytes = threshold.NewMultiple("minify: bytes of a block taken together", jsonscan.TileBytes,
	jsonscan.BlockBytes, jsonscan.BlockBytes)

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
		states: scan.NewHandoff(0, place{}), turns: scan.NewHandoff(0, outPlace{})}
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

// Traits returns what planning must know of the run.
func (r *Run) Traits() scan.Traits {
	return scan.Traits{Kernel: r.kernel(), Origin: r.form.ISA.Origin(), Worker: r.workerBytes(), Text: true,
		Example: []byte(example), InOrder: true}
}

func (r *Run) kernel() string { return fmt.Sprintf("minify %v", r.form.ISA) }

// workerBytes is what a worker needs: its buffer. The rest is small.
func (r *Run) workerBytes() int64 { return int64(outBytes(r.block)) }

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
	r.workers.Add(1)
	w := &worker{Run: r, stop: stop, describer: jsonscan.NewDescriber(r.scan)}
	if r.Validate {
		w.sum = jsontext.NewSum(r.DepthMax)
	}
	return w
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
	speed := &Run{Spec: r.Spec, form: r.form, scan: r.scan, block: blockBytes}
	w := &worker{Run: speed, describer: jsonscan.NewDescriber(r.scan)}
	if r.Validate {
		w.sum = jsontext.NewSum(r.DepthMax)
	}
	for len(b) > 0 {
		n := min(len(b), blockBytes)
		w.minify(b[:n], place{})
		b = b[n:]
	}
}

// Done ends the text, of which all was read if complete, and returns how many bytes were written.
// All workers have ended.
func (r *Run) Done(complete bool) (int64, error) {
	err := r.err
	if err == nil && complete {
		err = r.end()
	}
	err = errors.Join(err, r.out.advance(r.ends.Load()))
	return r.written.Load(), err
}

// end writes what follows the last value.
func (r *Run) end() error {
	if r.Validate {
		v, _ := r.valid.Last()
		if err := v.Close(); err != nil {
			return r.invalid(err)
		}
	}
	last, _ := r.states.Last()
	out, _ := r.turns.Last()
	if out.off == 0 || !r.EndFeed && !(last.feed && (r.NDJSON || out.several)) {
		return nil
	}
	r.ends.Store(out.off + 1)
	return r.write([]byte{'\n'}, out.off)
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
	n, err := r.out.write(b, at)
	r.spent.Add(int64(time.Since(began)))
	r.written.Add(int64(n))
	return err
}

// Writing returns for how much of the time the output was written to. Who writes to a file does
// so beside the others, each of whom may be doing the same; what is written in order, only one
// writes at a time.
func (r *Run) Writing() time.Duration {
	spent := time.Duration(r.spent.Load())
	if r.out.Anywhere() {
		return spent / time.Duration(max(1, r.workers.Load()))
	}
	return spent
}
