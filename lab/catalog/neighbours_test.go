package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

// articles returns the experiments with claims.
func articles() []*lab.Experiment {
	return slices.DeleteFunc(All(), func(e *lab.Experiment) bool { return e.Aside })
}

// madeUp returns so many equal runs of every variant in every setting, while others used a share of the processors.
func madeUp(runs int, others float64) lab.Results {
	r := lab.Results{Machine: lab.Machine{Processors: 2, Limits: map[string]float64{
		"memory_all": 1e12, "direct_read": 1e12, "copy_all": 1e12}}}
	for i, e := range articles() {
		for j, v := range e.Variants {
			for _, s := range append(slices.Clone(v.Settings), lab.Setting{State: lab.Warm}) {
				if slices.ContainsFunc(r.Measurements, func(m lab.Measurement) bool { return m.Variant == v.ID && m.Setting == s }) {
					continue
				}
				took := 0.5 + 0.37*float64(i+j) + 0.01*float64(s.N%7+s.Workers)
				o := lab.Outcome{Seconds: took, Bytes: 1 << 30, Items: 1 << 20, UserSeconds: took / 2, SystemSeconds: took, Answer: "1",
					MinorFaults: 1 << 14, Memory: &lab.Memory{TotalAllocBytes: uint64(1e9 * took), Collections: 2},
					Extra: map[string]float64{"calls_per_gib": 1000 * took, "server_cpu_seconds": took, "sendfile_percent": 100, "splice_percent": 100}}
				m := lab.Measurement{Variant: v.ID, Setting: s, OthersShare: others}
				for range runs {
					m.Outcomes = append(m.Outcomes, o)
				}
				if v.ID == "donations/rev2-bug" {
					m.Want, m.Wrong = "lines: 70000", "lines: 65536"
				}
				r.Measurements = append(r.Measurements, m)
			}
		}
	}
	return r
}

// TestNeighbours judges every claim by made-up measurements: beside neighbours what was timed can't be told, and what
// was counted is told as on a quiet machine. A single run tells only what was counted.
func TestNeighbours(t *testing.T) {
	counted := strings.Fields("D7 Z1 Z2 Z3 Z4 Z5 S5")
	quiet, atMost, busy, once := madeUp(5, 0), madeUp(5, lab.OthersMost), madeUp(5, lab.OthersMost+0.01), madeUp(1, 0)
	for _, e := range articles() {
		for _, c := range e.Claims {
			is := c.Judge(e, quiet)
			if is.Holds == lab.Untested || is.Holds == lab.Unclear {
				t.Errorf("%s on a quiet machine: %+v", c.ID, is)
			}
			if v := c.Judge(e, atMost); v.Holds != is.Holds {
				t.Errorf("%s beside few others: %s, quiet %s", c.ID, v.Holds, is.Holds)
			}
			v, first := c.Judge(e, busy), c.Judge(e, once)
			if slices.Contains(counted, c.ID) {
				if v.Holds != is.Holds || v.Ours != is.Ours {
					t.Errorf("%s was counted: beside others %+v, quiet %+v", c.ID, v, is)
				}
				continue
			}
			if v.Holds != lab.Unclear || !strings.Contains(v.Why, fmt.Sprintf("thers used %.0f %%", 100*(lab.OthersMost+0.01))) {
				t.Errorf("%s was timed beside others: %+v", c.ID, v)
			}
			if first.Holds != lab.Unclear || !strings.Contains(first.Why, "only once") {
				t.Errorf("%s was run once: %+v", c.ID, first)
			}
		}
		for _, s := range e.Standings(busy) {
			if s.Place != lab.Untold && s.Place != lab.Alone && !e.Metric.Counted {
				t.Errorf("beside others: %s", s)
			}
		}
	}
}
