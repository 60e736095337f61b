package scan

import (
	"bytes"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// Traits are the properties of a question that matter for planning its scan.
type Traits struct {
	Kernel    string // for receipts: the family and the instruction set
	AheadOf   func(source.Kind) int
	Ahead     int   // bytes of context that a search needs after a block, if AheadOf is nil
	Worker    int64 // memory of one searcher in bytes
	Width     int64 // of a typed value in bytes, 0 for other questions
	Stride    int64
	Lines     bool   // whole lines are searched
	Text      bool   // the question is about text
	SkipHoles bool   // holes need not be searched
	Disjoint  bool   // of overlapping hits only the first counts
	Example   []byte // typical input; nil if Sample is to make it up
	InOrder   bool   // blocks are begun in file order, each a piece of its own
}

// Context returns how many bytes of context a search needs after a block.
func (t *Traits) Context(kind source.Kind) int {
	if t.AheadOf != nil {
		return t.AheadOf(kind)
	}
	return t.Ahead
}

// Trailing returns how many bytes at the end of a range of n bytes do not make a whole value.
func (t *Traits) Trailing(n int64) int64 {
	if t.Width == 0 || n == 0 {
		return 0
	}
	if n < t.Width {
		return n
	}
	if t.Stride > t.Width {
		return 0 // bytes after the last value are part of its gap, not of a value
	}
	return (n - t.Width) % t.Stride
}

// Sample returns n bytes of typical input with few hits: zeros if the question skips holes and
// is not about text, otherwise Example, repeated, or lines of a log.
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
