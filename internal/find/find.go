// Package find turns what a user looks for into searchers for a scan.
package find

import (
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/literals"
	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/source"
)

// Selector is a compiled question. It is immutable and safe for concurrent use.
type Selector struct {
	scan.Traits
	searcher func(in Input) scan.Searcher
	pattern  *pattern.Pattern   // of Text and Hex, and of AnyOf where it is only one
	set      *literals.Set      // of AnyOf
	values   *compare.Predicate // of Values
}

// Input is what a searcher must know of its input.
type Input struct {
	File  *source.File
	Range source.Range
	Stop  *atomic.Bool             // true when the scan is over; long searches look at it
	Lost  func(engine.UnreadError) // takes a range that could not be searched
}

// Set returns what a selector made by AnyOf looks for, nil for others.
func (s *Selector) Set() *literals.Set { return s.set }

// Pattern returns what a selector made by Text or Hex looks for, nil for others.
func (s *Selector) Pattern() *pattern.Pattern { return s.pattern }

// Predicate returns which values a selector made by Values looks for, nil for
// others. They lie every Stride bytes.
func (s *Selector) Predicate() *compare.Predicate { return s.values }

// Speed runs the kernel over all of b, past whatever it finds there. It serves to measure
// the kernel.
func (s *Selector) Speed(b []byte) {
	in := Input{File: &source.File{Kind: source.Regular}, Range: source.Range{End: int64(len(b))},
		Stop: new(atomic.Bool), Lost: func(engine.UnreadError) {}}
	s.searcher(in).Search(engine.Block{Data: b, Len: len(b)}, func(scan.Hit) bool { return true })
}

// Searcher returns a searcher for one worker.
func (s *Selector) Searcher(in Input) scan.Searcher { return s.searcher(in) }
