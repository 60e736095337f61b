// Package find compiles a search query into searchers for a scan.
package find

import (
	"sync/atomic"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/literals"
	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/scan"
)

// Selector is a compiled search query. It is immutable and safe for concurrent use.
type Selector struct {
	scan.Traits
	searcher func(in Input) scan.Searcher
	begin    func(t *Task)      // called before the first searcher of an input; may be nil
	pattern  *pattern.Pattern   // set by Text and Hex, and by Any for a single literal
	set      *literals.Set      // set by Any
	values   *compare.Predicate // set by Values
}

// Input describes a searcher's input.
type Input struct {
	File  *source.File
	Range source.Range
	Stop  *atomic.Bool              // true when the scan is over; long searches check it
	Lost  func(failure.UnreadError) // reports a range that could not be searched
	task  *Task
}

// Task is a search in a range of one input. Its workers share it.
type Task struct {
	selector *Selector
	file     *source.File
	span     source.Range
	counting bool
	shared   *sharedLines // set by Regexp
}

// Begin begins a search in a range of a file. With counting, only the number of hits matters:
// their offsets and lengths may be wrong.
func (s *Selector) Begin(f *source.File, span source.Range, counting bool) *Task {
	t := &Task{selector: s, file: f, span: span, counting: counting}
	if s.begin != nil {
		s.begin(t)
	}
	return t
}

// Searcher returns the searcher of one worker; it is a scan.NewSearcher.
func (t *Task) Searcher(lost func(failure.UnreadError), stop *atomic.Bool) scan.Searcher {
	return t.selector.searcher(Input{File: t.file, Range: t.span, Stop: stop, Lost: lost, task: t})
}

// Set returns the literals that Any looks for, nil for other selectors.
func (s *Selector) Set() *literals.Set { return s.set }

// Pattern returns the pattern that Text or Hex looks for, nil for other selectors.
func (s *Selector) Pattern() *pattern.Pattern { return s.pattern }

// Predicate returns the predicate of Values, nil for other selectors. There is a value every
// Stride bytes.
func (s *Selector) Predicate() *compare.Predicate { return s.values }

// Speed runs the kernel over all of b, to measure its speed. It does not stop at hits.
func (s *Selector) Speed(b []byte) {
	t := s.Begin(&source.File{Kind: source.Regular}, source.Range{End: int64(len(b))}, false)
	search := t.Searcher(func(failure.UnreadError) {}, new(atomic.Bool))
	search.Search(engine.Block{Data: b, Len: len(b)}, func(answer.Hit) bool { return true })
}
