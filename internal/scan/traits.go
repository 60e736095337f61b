package scan

import (
	"bytes"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// Traits is what the planning of a scan must know of a question.
type Traits struct {
	Kernel    string // for receipts: the family and the instruction set
	Origin    string // of that kernel, as cpu.ISA.Origin has it
	AheadOf   func(source.Kind) int
	Ahead     int   // bytes behind a block that a search of it needs, where AheadOf is nil
	Worker    int64 // own memory of one searcher in bytes
	Width     int64 // of a typed value in bytes, 0 for other questions
	Stride    int64
	Lines     bool   // whole lines are searched
	Text      bool   // looks for what is found in text
	SkipHoles bool   // holes need not be looked at
	Disjoint  bool   // hits may overlap, of which then only the first counts
	Example   []byte // what the input is like; nil where Sample makes something like it
	InOrder   bool   // blocks are begun in the order of the file, each a piece of its own
}

// Context returns how many bytes behind its own a search of a block needs.
func (t *Traits) Context(kind source.Kind) int {
	if t.AheadOf != nil {
		return t.AheadOf(kind)
	}
	return t.Ahead
}

// Trailing returns how many bytes at the end of a range of n bytes are no whole value.
func (t *Traits) Trailing(n int64) int64 {
	if t.Width == 0 || n == 0 {
		return 0
	}
	if n < t.Width {
		return n
	}
	if t.Stride > t.Width {
		return 0 // the gap behind the last value is no value cut short
	}
	return (n - t.Width) % t.Stride
}

// Sample returns n bytes that are like what is asked about and hold few hits: zeros where
// anything else is looked for, and otherwise lines of a log.
func (t *Traits) Sample(n int) []byte {
	if t.SkipHoles && !t.Text {
		return make([]byte, n)
	}
	if len(t.Example) > 0 {
		return bytes.Repeat(t.Example, n/len(t.Example)+1)[:n]
	}
	line := []byte("2026-01-02T03:04:05.678Z INFO  served GET /static/app.js in 12 ms\n")
	return bytes.Repeat(line, n/len(line)+1)[:n]
}
