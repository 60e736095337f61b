package evidence

import (
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

// TestNeighbours: times that were taken beside busy neighbours, or too seldom, tell nothing; what was counted stands.
func TestNeighbours(t *testing.T) {
	beside := func(m lab.Measurement, others, host float64) lab.Measurement {
		m.OthersShare, m.HostShare = others, host
		return m
	}
	once := at("b", warm, 10)
	once.Outcomes = once.Outcomes[:1]
	calls := func(o lab.Outcome) float64 { return float64(o.Bytes) }
	for _, c := range []struct {
		what    string
		a, b    lab.Measurement
		counted bool // the experiment's metric is
		look    func(f *Figures) (a, b lab.Spread)
		want    lab.Holds
		why     string
	}{
		{"quiet", at("a", warm, 20), beside(at("b", warm, 10), 0.2, 0), false, nil, lab.Yes, ""},
		{"busy", at("a", warm, 20), beside(at("b", warm, 10), 0.21, 0), false, nil, lab.Unclear,
			"Others used 21 % of the processors while e/b ran."},
		{"the host is busy", beside(at("a", warm, 20), 0.5, 0.4), at("b", warm, 10), false, nil, lab.Unclear,
			"Others used 50 % of the processors, 80 % of them the host while e/a ran."},
		{"once", at("a", warm, 20), once, false, nil, lab.Unclear, "Run only once: e/b, and it takes 3 runs"},
		{"counted, beside neighbours", beside(at("a", warm, 20), 0.9, 0), at("b", warm, 10), true, nil, lab.Yes, ""},
		{"counted once", at("a", warm, 20), once, true, nil, lab.Unclear, "Run only once: e/b"},
		{"other than the metric", beside(at("a", warm, 20), 0.9, 0), at("b", warm, 10), false,
			func(f *Figures) (a, b lab.Spread) {
				a, _ = f.Other("a", warm, calls)
				b, _ = f.Other("b", warm, calls)
				return a, b
			}, lab.Yes, ""},
		{"the best of several", beside(at("a", warm, 20), 0.9, 0), at("b", warm, 10), false,
			func(f *Figures) (a, b lab.Spread) {
				best, _ := f.Best(func(lab.Setting) bool { return true }, "a")
				b, _ = f.Other("b", warm, calls)
				return best.Spread, b
			}, lab.Unclear, "while e/a ran"},
		{"the fastest run", at("a", warm, 20), beside(at("b", warm, 10), 0.9, 0), false,
			func(f *Figures) (a, b lab.Spread) {
				a, _ = f.Fastest("a", warm)
				b, _ = f.Fastest("b", warm)
				return a, b
			}, lab.Unclear, "while e/b ran"},
	} {
		claim := Claim("X1", "text", "theirs", func(f *Figures) lab.Verdict {
			f.Experiment.Metric.Counted = c.counted
			a, b := lab.Spread{}, lab.Spread{}
			if c.look != nil {
				a, b = c.look(f)
			} else {
				a, _ = f.Of("a", warm)
				b, _ = f.Of("b", warm)
			}
			return lab.Verdict{Holds: lab.Factor(lab.Over(a, b), 2), Why: "as measured"}
		})
		v := claim.Judge(experiment(), lab.Results{Measurements: []lab.Measurement{c.a, c.b}})
		if v.Holds != c.want || !strings.Contains(v.Why, c.why) || (c.why == "") != (v.Why == "as measured") {
			t.Errorf("%s: %+v, want %s and %q", c.what, v, c.want, c.why)
		}
	}
}
