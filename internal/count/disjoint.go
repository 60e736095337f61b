package count

import (
	"slices"
	"sort"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/source"
)

// Of occurrences that overlap the first counts, from the start of the range: "aa" is twice
// in "aaaaa". So which of them count in a block is decided by the reach of the last one
// before it: how many bytes of the block belong to that. A block is summed up for every
// reach there can be.
//
// That takes little more than one pass. A walker for each reach takes the next occurrence
// behind it, then the next that does not overlap that one, and so on. Walkers that take the
// same occurrence are one from there on. In ordinary data soon all are; only in a long
// repetition as many go on as the pattern has bytes.

// disjoint counts the occurrences of a pattern that can overlap itself.
type disjoint struct {
	pattern *pattern.Pattern
	order   *scan.Order[reaches]
}

// reaches is the sum of a range for every reach less than the length of the pattern,
// ascending. Neighbours that behave alike share a step.
type reaches []step

type step struct {
	reach int   // the highest of the step
	n     int64 // occurrences that count
	over  int   // the reach of the last of them into what follows
}

// Then returns the sum of two ranges.
func (r reaches) Then(next reaches) reaches {
	both := make(reaches, 0, len(r))
	for _, s := range r {
		i := sort.Search(len(next), func(i int) bool { return next[i].reach >= s.over })
		both = both.with(step{s.reach, s.n + next[i].n, next[i].over})
	}
	return both
}

// with appends a step, to the last one if they are alike.
func (r reaches) with(s step) reaches {
	if n := len(r); n > 0 && r[n-1].n == s.n && r[n-1].over == s.over {
		r[n-1].reach = s.reach
		return r
	}
	return append(r, s)
}

// without appends the steps of the reaches from first on, when no occurrence counts in the
// bytes of the range.
func (r reaches) without(first, length int, bytes int64) reaches {
	if inside := int(min(int64(length)-1, bytes)); first <= inside {
		r = r.with(step{inside, 0, 0})
		first = inside + 1
	}
	for reach := first; reach < length; reach++ {
		r = r.with(step{reach, 0, int(int64(reach) - bytes)})
	}
	return r
}

func (t *disjoint) add(b engine.Block) {
	sum := walk(t.pattern, b.Data, b.Len)
	t.order.Add(source.Range{Off: b.Off, End: b.Off + int64(b.Len)}, sum)
}

// hole counts zeros. If the pattern occurs in them it does so everywhere.
func (t *disjoint) hole(r source.Range) {
	length, bytes := t.pattern.Len(), r.Len()
	if !t.pattern.FitsZeros() {
		t.order.Add(r, reaches(nil).without(0, length, bytes))
		return
	}
	var sum reaches
	for reach := 0; reach < length && int64(reach) < bytes; reach++ {
		n := (bytes - int64(reach) + int64(length) - 1) / int64(length)
		sum = sum.with(step{reach, n, int(int64(reach) + n*int64(length) - bytes)})
	}
	t.order.Add(r, sum.without(len(sum), length, bytes))
}

func (t *disjoint) sum(into *Result) error {
	into.reaches = t.order
	return nil
}

// countReaches adds up what counts from where the range, or what could be read of it,
// begins: there nothing reaches in.
func countReaches(r *Result) {
	if r.reaches != nil {
		for _, s := range r.reaches.Stretches() {
			r.Count += s[0].n
		}
	}
}

// walker takes occurrences from next on.
type walker struct {
	next int
	n    int64
	into int   // the walker that it is one with, -1 while it walks alone
	more int64 // what it has taken more than that one
}

// walk sums up the occurrences that begin in b[:own].
func walk(p *pattern.Pattern, b []byte, own int) reaches {
	length := p.Len()
	in := b[:min(own+length-1, len(b))]
	var walkers []walker
	var alone []int // walkers that have not met
	var begun []struct {
		reach, walker int
		more          int64
	}
	first := 0 // the lowest reach whose walker has taken nothing yet
	for {
		from := len(in)
		if first < length {
			from = min(from, first)
		}
		for _, w := range alone {
			from = min(from, walkers[w].next)
		}
		i := p.Index(in[from:])
		if i < 0 {
			break
		}
		at := from + i
		taker := -1
		alone = slices.DeleteFunc(alone, func(i int) bool {
			w := &walkers[i]
			if w.next > at {
				return false
			}
			w.n, w.next = w.n+1, at+length
			if taker < 0 {
				taker = i
				return false
			}
			w.into, w.more = taker, w.n-walkers[taker].n
			return true
		})
		if first >= length || first > at {
			continue
		}
		if taker < 0 {
			taker = len(walkers)
			walkers = append(walkers, walker{next: at + length, n: 1, into: -1})
			alone = append(alone, taker)
		}
		last := min(at, length-1)
		begun = append(begun, struct {
			reach, walker int
			more          int64
		}{last, taker, 1 - walkers[taker].n})
		first = last + 1
	}
	var sum reaches
	for _, s := range begun {
		w, n := s.walker, s.more
		for walkers[w].into >= 0 {
			n += walkers[w].more
			w = walkers[w].into
		}
		sum = sum.with(step{s.reach, n + walkers[w].n, max(walkers[w].next-own, 0)})
	}
	return sum.without(first, length, int64(own))
}
