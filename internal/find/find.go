// Package find turns what a user looks for into searchers for a scan.
package find

import (
	"bytes"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/source"
)

// Selector is a compiled question. It is immutable and safe for concurrent use.
type Selector struct {
	kernel    string // for receipts: the family and the instruction set
	ahead     int
	skipHoles bool
	disjoint  bool
	lines     bool
	text      bool // looks for what is found in text
	worker    int64
	width     int64 // of a typed value, 0 for other selectors
	stride    int64
	searcher  func(in Input) scan.Searcher
}

// Input is what a searcher must know of its input.
type Input struct {
	File  *source.File
	Range source.Range
	Stop  *atomic.Bool             // true when the scan is over; long searches look at it
	Lost  func(engine.UnreadError) // takes a range that could not be searched
}

// Kernel names the family and the form that runs here.
func (s *Selector) Kernel() string { return s.kernel }

// Ahead returns how many bytes behind its own a search of a block needs. Lines of a
// stream need more than those of a file, of which a long one can be read again.
func (s *Selector) Ahead(kind source.Kind) int {
	if s.lines {
		return ahead(kind)
	}
	return s.ahead
}

// Lines reports whether whole lines are searched.
func (s *Selector) Lines() bool { return s.lines }

// SkipHoles reports whether no hit can lie in a hole.
func (s *Selector) SkipHoles() bool { return s.skipHoles }

// Disjoint reports whether hits may overlap, of which then only the first counts.
func (s *Selector) Disjoint() bool { return s.disjoint }

// WorkerBytes returns the own memory of one searcher.
func (s *Selector) WorkerBytes() int64 { return s.worker }

// Speed runs the kernel over all of b, past whatever it finds there. It serves to measure
// the kernel.
func (s *Selector) Speed(b []byte) {
	in := Input{File: &source.File{Kind: source.Regular}, Range: source.Range{End: int64(len(b))},
		Stop: new(atomic.Bool), Lost: func(engine.UnreadError) {}}
	s.searcher(in).Search(engine.Block{Data: b, Len: len(b)}, func(scan.Hit) bool { return true })
}

// Sample returns n bytes that are like what the selector is asked about and hold few hits:
// zeros where it looks for anything else, and otherwise lines of a log.
func (s *Selector) Sample(n int) []byte {
	if s.skipHoles && !s.text {
		return make([]byte, n)
	}
	line := []byte("2026-01-02T03:04:05.678Z INFO  served GET /static/app.js in 12 ms\n")
	return bytes.Repeat(line, n/len(line)+1)[:n]
}

// Trailing returns how many bytes at the end of a range of n bytes are no whole value.
func (s *Selector) Trailing(n int64) int64 {
	if s.width == 0 || n == 0 {
		return 0
	}
	if n < s.width {
		return n
	}
	if s.stride > s.width {
		return 0 // the gap behind the last value is no value cut short
	}
	return (n - s.width) % s.stride
}

// Searcher returns a searcher for one worker.
func (s *Selector) Searcher(in Input) scan.Searcher { return s.searcher(in) }
