package quantiles

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// Selector finds the values of a group at given ranks. It finds the smallest and the largest
// value, divides the interval between them into equal ranges, and counts how many values fall
// into each range. It repeats this within the range that holds the rank, until that has so few
// values that they can be sorted. Each step reads the values again; none are kept.
//
// A Selector can be reset and reused. It belongs to one goroutine, and starts others itself.
type Selector struct {
	units     []unit
	n         int64
	low, high uint64
	begun     bool
	few       []uint64 // all values, sorted, if they are few
	whole     *counts  // of all values
	some      *counts  // of the values in one range
	readers   []reader
}

// unit is a set of values that one goroutine walks over.
type unit struct {
	chain   chain
	few     []uint64
	block   *block
	walk    func(visit func([]uint64)) error
	convert func([]uint64) // makes of some values what they are ordered by; nil: they are that
	n       int64
}

// reader is what one goroutine needs to walk over units.
type reader struct {
	encoded  []byte
	values   []uint64
	found    []uint64
	counts   counts
	low, top uint64
}

// counts holds the number of values in each range. A range is 2^shift wide; the first begins at
// low.
type counts struct {
	low   uint64
	shift int
	of    [rangesMax]int64
}

// rangesMax is how many ranges are counted at once. That many counters fit in the L1 cache.
const (
	rangesBits = 12
	rangesMax  = 1 << rangesBits
)

// gatherMax is up to how many values are sorted to find one of them.
var gatherMax = threshold.New("values: sorted for a rank", 1024, 1)

// sharedMin is the number of values from which several goroutines share the work.
var sharedMin = threshold.New("values: counted by several workers", 256<<10, 1)

// Reset drops all values. The values added next are walked over by that many workers.
func (s *Selector) Reset(workers int) {
	clear(s.units)
	s.units, s.n, s.begun = s.units[:0], 0, false
	if len(s.readers) < max(workers, 1) {
		s.readers = make([]reader, max(workers, 1))
		s.whole, s.some = new(counts), new(counts)
	}
}

// Add adds the values of a set, which must stay as they are until the next Reset. As, if not
// nil, makes of some values what they are ordered by, in place: it keeps their order.
func (s *Selector) Add(set *Set, convert func([]uint64)) {
	if len(set.few) > 0 {
		s.units = append(s.units, unit{few: set.few, convert: convert, n: int64(len(set.few))})
	}
	for _, c := range set.chains {
		s.units = append(s.units, unit{chain: c, convert: convert, n: c.len()})
	}
	for i := range set.blocks {
		s.units = append(s.units, unit{block: &set.blocks[i], convert: convert, n: int64(set.blocks[i].n)})
	}
	s.count()
}

// AddWalk adds n values, which walk visits in portions.
func (s *Selector) AddWalk(n int64, walk func(visit func([]uint64)) error) {
	s.units = append(s.units, unit{walk: walk, n: n})
	s.count()
}

func (s *Selector) count() {
	s.n = 0
	for i := range s.units {
		s.n += s.units[i].n
	}
}

// Len returns how many values there are.
func (s *Selector) Len() int64 { return s.n }

// At returns the value at a rank in ascending order, and how many values are less than it. Ranks
// are from 0 to Len()-1.
func (s *Selector) At(rank int64) (value uint64, below int64, err error) {
	if !s.begun {
		if err := s.begin(); err != nil {
			return 0, 0, err
		}
		s.begun = true
	}
	if s.n <= int64(gatherMax.Get()) {
		return pick(s.few, rank, 0)
	}
	low, high, ranges := s.low, s.high, s.whole
	for low < high {
		i := 0
		for ; rank-below >= ranges.of[i]; i++ {
			below += ranges.of[i]
		}
		n := ranges.of[i]
		low = ranges.low + uint64(i)<<ranges.shift
		high = min(high-low, 1<<ranges.shift-1) + low
		if n <= int64(gatherMax.Get()) && low < high {
			found, err := s.gather(low, high)
			if err != nil {
				return 0, 0, err
			}
			return pick(found, rank, below)
		}
		if low < high {
			if err := s.countRanges(s.some, low, high); err != nil {
				return 0, 0, err
			}
			ranges = s.some
		}
	}
	return low, below, nil
}

// pick returns the value at a rank, and how many values are less than it. The values are sorted;
// below is how many other values are less than all of them.
func pick(sorted []uint64, rank, below int64) (value uint64, less int64, err error) {
	value = sorted[rank-below]
	first, _ := slices.BinarySearch(sorted, value)
	return value, below + int64(first), nil
}

// begin reads all values once, or twice if they are many.
func (s *Selector) begin() (err error) {
	if s.n <= int64(gatherMax.Get()) {
		s.few, err = s.gather(0, ^uint64(0))
		return err
	}
	for i := range s.readers {
		s.readers[i].low, s.readers[i].top = ^uint64(0), 0
	}
	err = s.each(func(r *reader, u *unit) error {
		if low, high, ok := u.bounds(); ok {
			r.low, r.top = min(r.low, low), max(r.top, high)
			return nil
		}
		return u.each(r, func(values []uint64) {
			low, top := r.low, r.top
			for _, v := range values {
				low, top = min(low, v), max(top, v)
			}
			r.low, r.top = low, top
		})
	})
	s.low, s.high = ^uint64(0), 0
	for i := range s.readers {
		s.low, s.high = min(s.low, s.readers[i].low), max(s.high, s.readers[i].top)
	}
	if err == nil && s.low < s.high {
		err = s.countRanges(s.whole, s.low, s.high)
	}
	return err
}

// countRanges divides [low, high] into ranges and counts the values in each.
func (s *Selector) countRanges(c *counts, low, high uint64) error {
	span := high - low
	shift := max(0, bits.Len64(span)-rangesBits)
	for i := range s.readers {
		s.readers[i].counts = counts{low: low, shift: shift}
	}
	err := s.each(func(r *reader, u *unit) error {
		of := &r.counts.of
		if first, last, ok := u.bounds(); ok {
			switch from, to := (first-low)>>shift, (last-low)>>shift; {
			case last < low || first > high:
				return nil
			case first >= low && last <= high && from == to:
				of[from] += u.n
				return nil
			}
		}
		return u.each(r, func(values []uint64) {
			for _, v := range values {
				if d := v - low; d <= span {
					of[d>>shift%rangesMax]++
				}
			}
		})
	})
	*c = counts{low: low, shift: shift}
	for i := range s.readers {
		for j, n := range s.readers[i].counts.of {
			c.of[j] += n
		}
	}
	return err
}

// gather returns the values in [low, high], sorted.
func (s *Selector) gather(low, high uint64) ([]uint64, error) {
	for i := range s.readers {
		s.readers[i].found = s.readers[i].found[:0]
	}
	span := high - low
	err := s.each(func(r *reader, u *unit) error {
		if first, last, ok := u.bounds(); ok && (last < low || first > high) {
			return nil
		}
		return u.each(r, func(values []uint64) {
			for _, v := range values {
				if v-low <= span {
					r.found = append(r.found, v)
				}
			}
		})
	})
	found := s.readers[0].found
	for i := range s.readers[1:] {
		found = append(found, s.readers[1+i].found...)
	}
	s.readers[0].found = found
	slices.Sort(found)
	return found, err
}

// each visits all units, on several goroutines if there are many values.
func (s *Selector) each(visit func(r *reader, u *unit) error) error {
	if s.n < int64(sharedMin.Get()) || len(s.units) == 1 {
		for i := range s.units {
			if err := visit(&s.readers[0], &s.units[i]); err != nil {
				return err
			}
		}
		return nil
	}
	var running sync.WaitGroup
	var next atomic.Int64
	errs := make([]error, len(s.readers))
	for w := range s.readers {
		running.Go(func() {
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= len(s.units) {
					return
				}
				errs[w] = visit(&s.readers[w], &s.units[i])
			}
		})
	}
	running.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// bounds returns the smallest and the largest value of a unit, if they are known.
func (u *unit) bounds() (low, high uint64, known bool) {
	if u.block == nil {
		return 0, 0, false
	}
	ends := [2]uint64{u.block.first, u.block.last}
	if u.convert != nil {
		u.convert(ends[:])
	}
	return ends[0], ends[1], true
}

// each visits the values of a unit in portions.
func (u *unit) each(r *reader, visit func([]uint64)) (err error) {
	switch {
	case u.walk != nil:
		return u.walk(visit)
	case u.block != nil:
		r.encoded, r.values, err = u.block.read(r.encoded, r.values)
		if err != nil {
			return err
		}
		if u.convert != nil {
			u.convert(r.values)
		}
		visit(r.values)
		return nil
	case u.few != nil:
		u.visit(r, u.few, visit)
		return nil
	}
	for values := range u.chain.chunks() {
		u.visit(r, values, visit)
	}
	return nil
}

// visit visits values that must not change: it converts a copy.
func (u *unit) visit(r *reader, values []uint64, visit func([]uint64)) {
	if u.convert != nil {
		r.values = append(r.values[:0], values...)
		values = r.values
		u.convert(values)
	}
	visit(values)
}

// Each visits all values in [low, high], after conversion, in any order.
func (s *Selector) Each(low, high uint64, visit func(uint64)) error {
	for i := range s.units {
		u := &s.units[i]
		if first, last, ok := u.bounds(); ok && (last < low || first > high) {
			continue
		}
		err := u.each(&s.readers[0], func(values []uint64) {
			for _, v := range values {
				if v >= low && v <= high {
					visit(v)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
