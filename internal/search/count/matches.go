package count

import (
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/search/find"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/question"
)

// Matches returns a counter of a selector's hits.
func Matches(s *find.Selector) *Counter {
	c := &Counter{Traits: s.Traits, speed: s.Speed}
	switch {
	case s.Predicate() != nil:
		p := s.Predicate()
		c.SkipHoles = true
		c.speed = func(b []byte) { p.CountStride(b, int(min(s.Stride, int64(len(b))))) }
		c.begin = func(r *Run) func() partial {
			return func() partial { return &values{predicate: p, layout: layoutOf(&c.Traits, r.span)} }
		}
	case s.Set() != nil:
		set := s.Set()
		c.disjoint(disjoint{all: set.All, longest: set.Longest()})
	case s.Disjoint:
		p := s.Pattern()
		c.SkipHoles = !p.FitsZeros() || p.Len() <= reachesMax.Get()
		c.disjoint(disjoint{all: eachOf(p), longest: p.Len(), zeros: p.FitsZeros()})
	case s.Pattern() != nil:
		p := s.Pattern()
		c.SkipHoles = true
		c.speed = func(b []byte) { p.Count(b, len(b)) }
		c.begin = func(r *Run) func() partial { return func() partial { return &occurrences{pattern: p} } }
	default:
		c.begin = func(r *Run) func() partial {
			task := s.Begin(r.file, r.span, true)
			return func() partial { return &hits{run: r, task: task} }
		}
	}
	return c
}

// reachesMax bounds the length of a pattern of zeros for which holes are counted without reading
// them: the summary of a hole has a step for each byte of the pattern.
var reachesMax = threshold.New("count: bytes of a pattern of zeros that is counted in holes without reading", 64<<10, 1)

// disjoint makes c count non-overlapping occurrences.
func (c *Counter) disjoint(t disjoint) {
	c.finish = countReaches
	c.begin = func(r *Run) func() partial {
		order := scan.NewOrder[reaches]()
		return func() partial {
			t := t
			t.order, t.end = order, r.span.End
			return &t
		}
	}
}

// NonZero returns a counter of bytes that are not 0.
func NonZero() *Counter { return bytesWhere(question.NotEqual, 0) }

// bytesWhere returns a counter of the bytes for which "byte op value" holds.
func bytesWhere(op question.Op, value byte) *Counter {
	s, err := find.Bytes(op, value)
	if err != nil {
		panic("thresh: bug: cannot compare bytes: " + err.Error())
	}
	return Matches(s)
}

// layout says where in a range the values of a column are.
type layout struct {
	origin, end   int64 // of the range
	width, stride int64
}

func layoutOf(t *scan.Traits, span source.Range) layout {
	return layout{origin: span.Off, end: span.End, width: t.Width, stride: t.Stride}
}

// in returns the bytes of the values that begin in the block, from the first value on; nil if
// no value begins there.
func (p *layout) in(b engine.Block) []byte {
	first := p.first(b.Off) - b.Off
	end := min(int64(b.Len)+p.width-1, int64(len(b.Data))) // the last one may end in the context
	if first >= int64(b.Len) {
		return nil
	}
	return b.Data[first:end]
}

// first returns the offset of the first value that begins at or after off.
func (p *layout) first(off int64) int64 {
	return p.origin + (off-p.origin+p.stride-1)/p.stride*p.stride
}

// count returns how many whole values begin in a range.
func (p *layout) count(r source.Range) int64 {
	first, last := p.first(r.Off), min(r.End-1, p.end-p.width)
	if last < first {
		return 0
	}
	return (last-first)/p.stride + 1
}

// step returns the stride as an int, at most len(b): a larger one steps beyond b just as well.
func (p *layout) step(b []byte) int { return int(min(p.stride, int64(len(b)))) }

// values counts typed values that fit a predicate.
type values struct {
	predicate *compare.Predicate
	layout
	n int64
}

func (t *values) add(b engine.Block) {
	if in := t.in(b); len(in) > 0 {
		t.n += int64(t.predicate.CountStride(in, t.step(in)))
	}
}

func (t *values) hole(r source.Range) {
	if t.predicate.FitsZero() {
		t.n += t.count(r)
	}
}

func (t *values) sum(into *Result) error {
	into.Count += t.n
	return nil
}

// occurrences counts occurrences of a pattern that cannot overlap itself.
type occurrences struct {
	pattern *pattern.Pattern
	n       int64
}

func (t *occurrences) add(b engine.Block) {
	n, _ := t.pattern.Count(b.Data, b.Len)
	t.n += int64(n)
}

// hole counts zeros. A pattern that occurs in zeros and cannot overlap itself is a single byte.
func (t *occurrences) hole(r source.Range) {
	if t.pattern.FitsZeros() {
		t.n += r.Len()
	}
}

func (t *occurrences) sum(into *Result) error {
	into.Count += t.n
	return nil
}

// hits counts the hits of a selector one by one.
type hits struct {
	run      *Run
	task     *find.Task
	searcher scan.Searcher
	n        int64
}

func (t *hits) add(b engine.Block) {
	if t.searcher == nil {
		t.searcher = t.task.Searcher(t.run.lost, t.run.stop)
	}
	n := int64(0)
	t.searcher.Search(b, func(answer.Hit) bool {
		n++
		return true
	})
	t.n += n
}

// hole counts nothing: the scan skips holes only if zeros cannot hold a hit.
func (t *hits) hole(source.Range) {}

func (t *hits) sum(into *Result) error {
	into.Count += t.n
	return nil
}
