package count

import (
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/search/find"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Matches returns the counter of what a selector finds.
func Matches(s *find.Selector) *Counter {
	c := &Counter{Traits: s.Traits, speed: s.Speed}
	switch {
	case s.Predicate() != nil:
		p := s.Predicate()
		c.SkipHoles = true
		c.speed = func(b []byte) { p.CountStride(b, int(min(s.Stride, int64(len(b))))) }
		c.begin = func(r *Run) func() tally {
			return func() tally { return &values{predicate: p, places: placesOf(&c.Traits, r.span)} }
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
		c.begin = func(r *Run) func() tally { return func() tally { return &occurrences{pattern: p} } }
	default:
		c.begin = func(r *Run) func() tally {
			task := s.Begin(r.file, r.span, true)
			return func() tally { return &hits{run: r, task: task} }
		}
	}
	return c
}

// reachesMax is how long a pattern of zeros may be for holes to be counted unseen: the sum
// of a hole has as many steps as the pattern has bytes.
var reachesMax = threshold.New("count: bytes of a pattern of zeros for which holes are counted unseen", 64<<10, 1)

// disjoint makes the counter one of occurrences that can overlap.
func (c *Counter) disjoint(t disjoint) {
	c.finish = countReaches
	c.begin = func(r *Run) func() tally {
		order := scan.NewOrder[reaches]()
		return func() tally {
			t := t
			t.order, t.end = order, r.span.End
			return &t
		}
	}
}

// NonZero returns the counter of bytes that are not 0.
func NonZero() *Counter { return bytesThat(compare.NotEqual, 0) }

// bytesThat returns the counter of bytes that compare so.
func bytesThat(op compare.Op, value byte) *Counter {
	s, err := find.Bytes(op, value)
	if err != nil {
		panic("thresh: bug: a byte that cannot be compared: " + err.Error())
	}
	return Matches(s)
}

// places is where the values of a column lie.
type places struct {
	origin, end   int64 // of the range
	width, stride int64
}

func placesOf(t *scan.Traits, span source.Range) places {
	return places{origin: span.Off, end: span.End, width: t.Width, stride: t.Stride}
}

// in returns the bytes of the values that begin in the block, the first at the front, or
// nothing where none does.
func (p *places) in(b engine.Block) []byte {
	first := p.first(b.Off) - b.Off
	end := min(int64(b.Len)+p.width-1, int64(len(b.Data))) // the last one may end in the context
	if first >= int64(b.Len) {
		return nil
	}
	return b.Data[first:end]
}

// first returns the offset of the first value that begins at off or behind it.
func (p *places) first(off int64) int64 {
	return p.origin + (off-p.origin+p.stride-1)/p.stride*p.stride
}

// count returns how many whole values begin in a range.
func (p *places) count(r source.Range) int64 {
	first, last := p.first(r.Off), min(r.End-1, p.end-p.width)
	if last < first {
		return 0
	}
	return (last-first)/p.stride + 1
}

// step returns the stride as far as it matters for b.
func (p *places) step(b []byte) int { return int(min(p.stride, int64(len(b)))) }

// values counts the typed values that fit a predicate.
type values struct {
	predicate *compare.Predicate
	places
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

// occurrences counts those of a pattern that cannot overlap itself.
type occurrences struct {
	pattern *pattern.Pattern
	n       int64
}

func (t *occurrences) add(b engine.Block) {
	n, _ := t.pattern.Count(b.Data, b.Len)
	t.n += int64(n)
}

// hole counts zeros. A pattern that occurs in them and cannot overlap itself is one byte.
func (t *occurrences) hole(r source.Range) {
	if t.pattern.FitsZeros() {
		t.n += r.Len()
	}
}

func (t *occurrences) sum(into *Result) error {
	into.Count += t.n
	return nil
}

// hits counts what a selector finds one by one.
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
	t.searcher.Search(b, func(scan.Hit) bool {
		n++
		return true
	})
	t.n += n
}

// hole has nothing to count: holes are skipped where no hit can lie in zeros.
func (t *hits) hole(source.Range) {}

func (t *hits) sum(into *Result) error {
	into.Count += t.n
	return nil
}
