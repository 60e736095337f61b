// Package differ searches the blocks of two inputs that are compared for the bytes that differ.
package differ

import (
	"bytes"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/kernel/differ"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Run is a comparison of two inputs. Its workers share it.
type Run struct {
	Different atomic.Int64 // bytes so far

	kernel    differ.Kernel
	linesFrom int64
	first     bool

	mu    sync.Mutex
	lines map[int64]int64 // line feeds of blocks near the start, up to the first byte that differs
}

// linesBytes is how far lines are counted: what is looked at by line is not larger, and the rest costs nothing.
var linesBytes = threshold.New("differ: bytes whose lines are counted", 64<<20, 1)

// workerBytes is the memory of a worker's buffers for the second input.
const workerBytes = 2 << 20

// New begins a comparison from an offset on. With first, only the first difference matters.
func New(off int64, first bool) *Run {
	return &Run{kernel: differ.Best(), linesFrom: off, first: first, lines: map[int64]int64{}}
}

// Traits returns the properties of the comparison.
func (r *Run) Traits() scan.Traits {
	return scan.Traits{Kernel: "differ " + r.kernel.ISA.String(), Worker: workerBytes, SkipHoles: true}
}

// Speed runs the kernel over all of b.
func (r *Run) Speed(b []byte) { r.kernel.Index(b, b) }

// Searcher returns the searcher of one worker; it is a scan.NewSearcher.
func (r *Run) Searcher(_ func(failure.UnreadError), stop *atomic.Bool) scan.Searcher {
	return searcher{r, stop}
}

type searcher struct {
	*Run
	stop *atomic.Bool
}

// Search yields the runs of bytes that differ. A block that goes on after the end of the second input ends the scan:
// there is one worker then, or nothing is left.
func (s searcher) Search(b engine.Block, yield func(answer.Hit) bool) {
	n := min(b.Len, len(b.Other))
	found, same := int64(0), n
	s.kernel.Runs(b.Data[:n], b.Other[:n], func(from, to int) bool {
		found += int64(to - from)
		same = min(same, from)
		return yield(answer.Hit{Off: b.Off + int64(from), Len: int64(to - from)})
	})
	if s.first && b.Off-s.linesFrom < int64(linesBytes.Get()) {
		feeds := int64(bytes.Count(b.Data[:same], []byte{'\n'}))
		s.mu.Lock()
		s.lines[b.Off] = feeds // of a block of a mapping that faulted, again
		s.mu.Unlock()
	}
	s.Different.Add(found)
	if n == 0 {
		s.stop.Store(true)
	}
}

// Line returns the line of the first byte that differs, from 1; 0 if it is not known.
func (r *Run) Line(off int64) int64 {
	if off-r.linesFrom >= int64(linesBytes.Get()) {
		return 0
	}
	line := int64(1)
	for at, feeds := range r.lines {
		if at <= off {
			line += feeds
		}
	}
	return line
}
