// Package find turns what a user looks for into searchers for a scan.
package find

import (
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/literals"
	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/scan"
)

// Selector is a compiled question. It is immutable and safe for concurrent use.
type Selector struct {
	scan.Traits
	searcher func(in Input) scan.Searcher
	begin    func(t *Task)      // before the first searcher of an input; may be nil
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
	task  *Task
}

// Task is a search in a range of one input, by several workers.
type Task struct {
	selector *Selector
	file     *source.File
	span     source.Range
	counting bool
	lines    *handover // of a Regexp
}

// Begin begins a search in a range of a file. With counting only the number of hits is
// asked for: some may come without the place where they begin.
func (s *Selector) Begin(f *source.File, span source.Range, counting bool) *Task {
	t := &Task{selector: s, file: f, span: span, counting: counting}
	if s.begin != nil {
		s.begin(t)
	}
	return t
}

// Searcher returns the searcher of one worker; it is a scan.NewSearcher.
func (t *Task) Searcher(lost func(engine.UnreadError), stop *atomic.Bool) scan.Searcher {
	return t.selector.searcher(Input{File: t.file, Range: t.span, Stop: stop, Lost: lost, task: t})
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
	t := s.Begin(&source.File{Kind: source.Regular}, source.Range{End: int64(len(b))}, false)
	search := t.Searcher(func(engine.UnreadError) {}, new(atomic.Bool))
	search.Search(engine.Block{Data: b, Len: len(b)}, func(scan.Hit) bool { return true })
}
