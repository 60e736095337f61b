package lab

import (
	"fmt"
	"math"

	"github.com/thresh-dev/thresh/internal/quantile"
)

// Claim is a conclusion of an article.
type Claim struct {
	ID     string // "N1"
	Text   string // the conclusion in one sentence
	Theirs string // the article's figures for it
	// Judge says whether it holds by the measurements. It must not change them.
	Judge func(e *Experiment, r Results) Verdict
}

// Verdict says whether a claim holds here, and why.
type Verdict struct {
	Holds Holds  `json:"holds"`
	Ours  string `json:"ours"` // our figures for it
	Why   string `json:"why"`  // one or two sentences
	// Evidence are figures that show the reason: faults, folio sizes, walls.
	Evidence []string `json:"evidence,omitempty"`
}

// Holds is the outcome of a judgement.
type Holds string

// The values of Holds.
const (
	Yes      Holds = "holds"
	InPart   Holds = "holds in part"
	No       Holds = "does not hold here"
	Unclear  Holds = "can't be told" // the runs differ too much, are too few, or others were busy
	Untested Holds = "not tested here"
)

// Ratio is a ratio of two figures, with the bounds that their spreads allow.
type Ratio struct{ Low, Value, High float64 }

// Over returns a / b. Where the spread of one is not known, nothing bounds the ratio.
func Over(a, b Spread) Ratio {
	if !a.Known() || !b.Known() {
		return Ratio{0, a.Value / b.Value, math.Inf(1)}
	}
	return Ratio{a.Low / b.High, a.Value / b.Value, a.High / b.Low}
}

// RunsLeast is how many runs it takes to know how much they differ.
const RunsLeast = quantile.RunsLeast

// Known reports whether the spread is known. What has no runs, such as a limit of the machine, is exact.
func (s Spread) Known() bool { return s.Runs == 0 || s.Runs >= RunsLeast }

// String returns the ratio and, where they differ, its bounds.
func (r Ratio) String() string {
	if math.IsInf(r.High, 1) {
		return fmt.Sprintf("%.2f times (of too few runs to know their spread)", r.Value)
	}
	if fmt.Sprintf("%.2f", r.Low) == fmt.Sprintf("%.2f", r.High) {
		return fmt.Sprintf("%.2f times", r.Value)
	}
	return fmt.Sprintf("%.2f times (%.2f to %.2f)", r.Value, r.Low, r.High)
}

// The rule. A claim of a factor holds if the whole range of the measured ratio reaches enough of the
// published one, and it holds in part if the effect is there, in the same direction, but smaller. A range
// that lies on both sides of a bound can't be told, unless its value is clear of the bound by clear.
const (
	Enough = 0.6  // of the published factor, on a scale of logarithms
	Equal  = 1.15 // at most this ratio, either way, is no difference
	clear  = 1.05
)

// Side says on which side of a bound a ratio lies: 1 above, -1 below, 0 if that can't be told.
func (r Ratio) Side(bound float64) int {
	switch {
	case r.Low >= bound || r.Value >= bound*clear && r.Low >= bound/clear:
		return 1
	case r.High < bound || r.Value < bound/clear && r.High < bound*clear:
		return -1
	}
	return 0
}

// Factor judges "a is published times b": by the ratio of what was measured.
func Factor(r Ratio, published float64) Holds {
	if published < 1 {
		r, published = Ratio{1 / r.High, 1 / r.Value, 1 / r.Low}, 1/published
	}
	switch needed := math.Pow(published, Enough); {
	case r.Side(Equal) < 0:
		return No
	case r.Side(Equal) == 0:
		return Unclear
	case r.Side(needed) > 0:
		return Yes
	case r.Side(needed) < 0:
		return InPart
	}
	return Unclear
}

// Same judges "a is no faster than b, and no slower".
func Same(r Ratio) Holds {
	above, below := r.Side(Equal), -r.Side(1/Equal)
	switch {
	case above > 0 || below > 0:
		return No
	case above < 0 && below < 0:
		return Yes
	}
	return Unclear
}

// NotMore judges "a is no more than b".
func NotMore(r Ratio) Holds {
	switch r.Side(Equal) {
	case 1:
		return No
	case -1:
		return Yes
	}
	return Unclear
}

// All judges a claim of several parts: it holds if all do, and holds in part if some do.
func All(parts ...Holds) Holds {
	count := map[Holds]int{}
	for _, p := range parts {
		count[p]++
	}
	switch {
	case count[Unclear] > 0:
		return Unclear
	case count[Untested] == len(parts):
		return Untested
	case count[Yes] == len(parts):
		return Yes
	case count[No]+count[Untested] == len(parts):
		return No
	}
	return InPart
}
