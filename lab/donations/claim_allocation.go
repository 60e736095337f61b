package donations

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/evidence"
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
func judgeAllocation(f *evidence.Figures) (v lab.Verdict) {
	seconds, ok := fastest(f, tabled...)
	if !ok {
		return v
	}
	var first, quartile, bytes []float64
	for i, id := range tabled {
		m, known := f.Memory(id, warm(0), "line")
		if !known {
			return lab.Verdict{Why: id + " has no figures of its memory"}
		}
		first, quartile = append(first, seconds[i].Value), append(quartile, seconds[i].High)
		bytes = append(bytes, m.Item)
	}
	by, other := rankCorrelation(bytes, first), rankCorrelation(bytes, quartile)
	v = lab.Verdict{Holds: following(by)}
	v.Ours = fmt.Sprintf("rank correlation %.2f (%.2f by the lower quartile) of %d revisions", by, other, len(tabled))
	if v.Holds != following(other) {
		v.Holds, v.Why = lab.Unclear, "The order of the revisions differs between their fastest runs and the others."
		return v
	}
	// The steps of the article change several things at once. Two of them tell more than the order does.
	step := func(from, to int) string {
		return fmt.Sprintf("from %s to %s the bytes change by %+.0f %% and the time by %+.0f %%", tabled[from], tabled[to],
			100*(bytes[to]/bytes[from]-1), 100*(first[to]/first[from]-1))
	}
	const rev0, rev4, rev5, rev6, rev9 = 0, 3, 4, 5, 8
	v.Why = sentence("the revisions change several things at once, and an order shows no cause",
		step(rev5, rev6)+", with pools alone; "+step(rev0, rev4)+", with batches; "+step(rev0, rev9)+", with all")
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
