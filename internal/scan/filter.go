package scan

import (
	"slices"

	"github.com/thresh-dev/thresh/answer"
)

// Filter keeps those of ascending hits that count: no hit that overlaps an earlier one if Disjoint
// is set, and no more than Limit.
type Filter struct {
	Disjoint bool
	Limit    int64 // 0 means all
	End      int64 // of the last hit that was kept; at first, the start of the range
	Kept     int64
}

// Keep returns the hits of the next batch that count, in the same slice.
func (f *Filter) Keep(hits []answer.Hit) []answer.Hit {
	if f.Disjoint {
		hits = slices.DeleteFunc(hits, func(h answer.Hit) bool {
			if h.Off < f.End {
				return true
			}
			f.End = h.Off + h.Len
			return false
		})
	}
	if f.Limit > 0 {
		hits = hits[:min(int64(len(hits)), f.Limit-f.Kept)]
	}
	f.Kept += int64(len(hits))
	return hits
}

// Full reports whether no further hit counts.
func (f *Filter) Full() bool { return f.Limit > 0 && f.Kept >= f.Limit }
