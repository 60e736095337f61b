package compare

import (
	"cmp"
	"slices"
	"sort"
)

// ranges is a set of ranks: closed ranges in ascending order that neither overlap nor touch.
type ranges []rankRange

type rankRange struct{ low, high uint64 }

// interval returns the set of one range; low must not be above high.
func interval(low, high uint64) ranges { return ranges{{low, high}} }

// complement returns the ranks from 0 to maxRank that are not in the set.
func (r ranges) complement(maxRank uint64) ranges {
	var rest ranges
	next := uint64(0)
	for _, s := range r {
		if s.low > next {
			rest = append(rest, rankRange{next, s.low - 1})
		}
		if s.high == maxRank {
			return rest
		}
		next = s.high + 1
	}
	return append(rest, rankRange{next, maxRank})
}

// intersect returns the ranks that are in both sets.
func (r ranges) intersect(other ranges) ranges {
	var both ranges
	for len(r) > 0 && len(other) > 0 {
		low, high := max(r[0].low, other[0].low), min(r[0].high, other[0].high)
		if low <= high {
			both = append(both, rankRange{low, high})
		}
		if r[0].high < other[0].high {
			r = r[1:]
		} else {
			other = other[1:]
		}
	}
	return both
}

// union returns the set of ranges that may be unordered, overlap and touch.
func (r ranges) union() ranges {
	slices.SortFunc(r, func(a, b rankRange) int { return cmp.Compare(a.low, b.low) })
	all := r[:1]
	for _, s := range r[1:] {
		if last := &all[len(all)-1]; s.low == 0 || s.low-1 <= last.high {
			last.high = max(last.high, s.high)
		} else {
			all = append(all, s)
		}
	}
	return all
}

// contains reports whether the rank is in the set.
func (r ranges) contains(rank uint64) bool {
	const few = 8
	if len(r) > few {
		r = r[sort.Search(len(r), func(i int) bool { return rank <= r[i].high }):]
	}
	for _, s := range r {
		if rank <= s.high {
			return rank >= s.low
		}
	}
	return false
}

// cover returns the smallest circular interval that contains the set, which must not be empty: from
// low, span more ranks, where 0 follows maxRank. exact reports whether it contains nothing else. It
// is the circle without its largest gap, between two ranges or around the end.
func (r ranges) cover(maxRank uint64) (low, span uint64, exact bool) {
	first, last := r[0], r[len(r)-1]
	low, span = first.low, last.high-first.low
	widest := maxRank - span // ranks in the gap around the end
	gaps := 0
	if widest > 0 {
		gaps++
	}
	for i := 1; i < len(r); i++ {
		gaps++
		if gap := r[i].low - r[i-1].high - 1; gap > widest {
			widest, low, span = gap, r[i].low, maxRank-gap
		}
	}
	return low, span, gaps <= 1
}

// arcs returns the set, which must not be empty, as arcs that share no value: one per range, except
// that ranges at the two ends of the order join across the end. Fewer passes are impossible, even
// with the complement: it has as many arcs.
func (r ranges) arcs(t Type) []arc {
	all := make([]arc, len(r))
	for i, s := range r {
		all[i] = arc{t, s.low ^ t.bias(), s.high - s.low}
	}
	if last := len(r) - 1; last > 0 && r[0].low == 0 && r[last].high == t.maxRank() {
		all[0] = arc{t, all[last].low, all[last].span + 1 + all[0].span}
		all = all[:last]
	}
	for i := range all {
		all[i].simplify()
	}
	return all
}
