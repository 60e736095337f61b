package count

import (
	"fmt"
	"sort"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// When occurrences overlap, the first one counts, from the start of the range: "aaaaa" has two
// of "aa". So what counts in a block depends on the block's reach: how many of its first bytes
// belong to the last counted occurrence before it. A block is summarized for every possible
// reach.
//
// One pass is enough. It goes from the last occurrence to the first, and computes what counts
// from there on if this occurrence counts: itself, and whatever counts from the next one that
// does not overlap it. The summary for a reach is that of the first occurrence at or after it.

// disjoint counts non-overlapping occurrences of patterns that can overlap.
type disjoint struct {
	all     func(b []byte, starts int, yield func(at, n int) bool) // yields all occurrences in a block
	longest int                                                    // length of the longest occurrence, in bytes
	zeros   bool                                                   // each occurrence is longest zero bytes
	end     int64                                                  // of the range
	order   *scan.Order[reaches]

	found []occurrence // reused memory
}

// occurrence is an occurrence in a part of a block.
type occurrence struct {
	at, n int32
	over  int32 // if this one counts: how far the last counted one reaches into the next part
	count int32 // if this one counts: how many count from here to the end of the part
}

// partBytes is how many bytes of a block are summarized at a time. It bounds the memory for
// their occurrences.
var partBytes = threshold.New("count: bytes summarized at a time for overlapping occurrences", 64<<10, 1)

// reaches summarizes a range for every reach below the length of the longest occurrence, in
// ascending order. Adjacent reaches with the same summary share a step.
type reaches []Step

// Step is a part of a summary.
type Step struct {
	Reach int   // the highest one of the step
	N     int64 // occurrences that count
	Over  int   // how far the last counted one reaches into the next range
}

// Then returns the summary of two adjacent ranges.
func (r reaches) Then(next reaches) reaches {
	both := make(reaches, 0, len(r))
	for _, s := range r {
		i := sort.Search(len(next), func(i int) bool { return next[i].Reach >= s.Over })
		both = both.with(Step{s.Reach, s.N + next[i].N, next[i].Over})
	}
	return both
}

// check finds a summary of another process that is not one for occurrences of this length.
func (r reaches) check(longest int) error {
	before := -1
	for _, s := range r {
		if s.Reach <= before || s.Over < 0 || s.Over >= longest {
			return fmt.Errorf("a summary of occurrences has a step to %d after one to %d, and %d bytes more", s.Reach,
				before, s.Over)
		}
		before = s.Reach
	}
	if before != longest-1 {
		return fmt.Errorf("a summary of occurrences of %d bytes ends at %d", longest, before)
	}
	return nil
}

// with appends a step. It extends the last step if both have the same summary.
func (r reaches) with(s Step) reaches {
	if n := len(r); n > 0 && r[n-1].N == s.N && r[n-1].Over == s.Over {
		r[n-1].Reach = s.Reach
		return r
	}
	return append(r, s)
}

// without appends the steps from the reach first on, for a range of that many bytes in which
// no occurrence counts.
func (r reaches) without(first, length int, bytes int64) reaches {
	if inside := int(min(int64(length)-1, bytes)); first <= inside {
		r = r.with(Step{inside, 0, 0})
		first = inside + 1
	}
	for reach := first; reach < length; reach++ {
		r = r.with(Step{reach, 0, int(int64(reach) - bytes)})
	}
	return r
}

func (t *disjoint) add(b engine.Block) {
	part := max(partBytes.Get(), t.longest)
	sum := t.walk(b.Data, min(part, b.Len))
	for from := part; from < b.Len; from += part {
		sum = sum.Then(t.walk(b.Data[from:], min(part, b.Len-from)))
	}
	t.order.Add(source.Range{Off: b.Off, End: b.Off + int64(b.Len)}, sum)
}

// hole summarizes zeros. A pattern of zeros occurs at every offset, except where the range ends
// too early for a whole one.
func (t *disjoint) hole(r source.Range) {
	length, bytes := t.longest, r.Len()
	starts := min(r.End, t.end-int64(length)+1) - r.Off
	if !t.zeros {
		t.order.Add(r, reaches(nil).without(0, length, bytes))
		return
	}
	var sum reaches
	for reach := 0; reach < length && int64(reach) < starts; reach++ {
		n := (starts - int64(reach) + int64(length) - 1) / int64(length)
		sum = sum.with(Step{reach, n, int(max(int64(reach)+n*int64(length)-bytes, 0))})
	}
	t.order.Add(r, sum.without(int(min(max(starts, 0), int64(length))), length, bytes))
}

func (t *disjoint) sum(into *Result) error {
	into.reaches = t.order
	return nil
}

// countReaches adds up the count. The range begins with reach 0, and so does each stretch that
// follows unreadable bytes.
func countReaches(r *Result) {
	if r.reaches != nil {
		for _, s := range r.reaches.Stretches() {
			r.Count += s[0].N
		}
	}
}

// walk summarizes the occurrences that begin in b[:own].
func (t *disjoint) walk(b []byte, own int) reaches {
	t.found = t.found[:0]
	t.all(b[:min(own+t.longest-1, len(b))], own, func(at, n int) bool {
		t.found = append(t.found, occurrence{at: int32(at), n: int32(n)})
		return true
	})
	found := t.found
	for i := len(found) - 1; i >= 0; i-- {
		o := &found[i]
		end := o.at + o.n
		next := i + 1
		if next < len(found) && found[next].at < end {
			next += sort.Search(len(found)-next, func(i int) bool { return found[next+i].at >= end })
		}
		o.count, o.over = 1, max(end-int32(own), 0)
		if next < len(found) {
			o.count, o.over = 1+found[next].count, found[next].over
		}
	}
	var sum reaches
	first := 0 // the lowest reach without a step
	for _, o := range found {
		if first >= t.longest {
			break
		}
		if last := min(int(o.at), t.longest-1); first <= last {
			sum = sum.with(Step{last, int64(o.count), int(o.over)})
			first = last + 1
		}
	}
	return sum.without(first, t.longest, int64(own))
}

// eachOf returns a function that yields the occurrences of a pattern.
func eachOf(p *pattern.Pattern) func(b []byte, starts int, yield func(at, n int) bool) {
	return func(b []byte, starts int, yield func(at, n int) bool) {
		for at := 0; at < starts; at++ {
			i := p.Index(b[at:])
			if i < 0 || !yield(at+i, p.Len()) {
				return
			}
			at += i
		}
	}
}
