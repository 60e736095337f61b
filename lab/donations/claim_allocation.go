package donations

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/lab"
)

// tabled are the revisions in the article's table of times and allocation.
var tabled = []string{"rev0", "rev2", "rev3", "rev4", "rev5", "rev6", "rev7", "rev8", "rev9"}

// Least rank correlations for a claim that one figure follows another: for holding, and for holding in
// part. The article's own figures have 0.60.
const (
	follows = 0.6
	related = 0.3
)

// judgeAllocation compares the order of the revisions by allocated bytes with that by time: by the
// fastest runs, and by the lower quartile. If these disagree it can't be told.
func judgeAllocation(e *lab.Experiment, r lab.Results) lab.Verdict {
	f := &figures{e: e, r: r}
	var fastest, quartile, allocated []float64
	for _, id := range tabled {
		s := f.of(id)
		if m := f.measurement(id); m != nil && m.Outcomes[len(m.Outcomes)-1].Memory == nil {
			f.missing = append(f.missing, id+" has no figures of its memory")
		}
		if len(f.missing) > 0 {
			continue
		}
		o := f.last(id)
		fastest, quartile = append(fastest, s.Value), append(quartile, s.High)
		allocated = append(allocated, float64(o.Memory.TotalAllocBytes)/float64(o.Items))
	}
	if v, missing := f.untested(); missing {
		return v
	}
	by, other := rankCorrelation(allocated, fastest), rankCorrelation(allocated, quartile)
	v := lab.Verdict{Holds: following(by), Evidence: f.memory(tabled...)}
	v.Ours = fmt.Sprintf("rank correlation %.2f (%.2f by the lower quartile) of %d revisions", by, other, len(tabled))
	switch {
	case v.Holds != following(other):
		v.Holds, v.Why = lab.Unclear, "The order of the revisions differs between their fastest runs and the others."
	case v.Holds == lab.Yes:
		v.Why = "What allocates less also copies less and leaves less to mark, and the revisions that save memory save work."
	default:
		v.Why = "The revisions 2 to 5 allocate as much as revision 0 and differ in time: what they save is messages " +
			"and waiting, not memory."
	}
	return v
}

func following(correlation float64) lab.Holds {
	switch {
	case correlation >= follows:
		return lab.Yes
	case correlation >= related:
		return lab.InPart
	}
	return lab.No
}

// rankCorrelation returns Spearman's coefficient: 1 if both lists have the same order, -1 if one is the
// reverse of the other. Equal values get ranks in any order.
func rankCorrelation(a, b []float64) float64 {
	ra, rb := ranks(a), ranks(b)
	squares := 0.0
	for i := range ra {
		d := float64(ra[i] - rb[i])
		squares += d * d
	}
	n := float64(len(a))
	return 1 - 6*squares/(n*(n*n-1))
}

func ranks(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	out := make([]int, len(values))
	for rank, i := range order {
		out[i] = rank
	}
	return out
}
