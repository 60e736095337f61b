package lab

import (
	"math"
	"slices"
	"strings"
	"testing"
)

var warmState = Setting{State: Warm}

// rates is an experiment with this project's own row, others, and one that does something else.
func rates() *Experiment {
	e := &Experiment{Name: "e", Method: Method{Runs: 3}, Metric: Metric{Unit: "MB/s", MoreIsBetter: true,
		Of: func(o Outcome) float64 { return float64(o.Bytes) / o.Seconds / 1e6 }}}
	for _, id := range []string{"e/a", "e/b", "e/thresh", "e/other-work", "e/other-input"} {
		e.Variants = append(e.Variants, Variant{ID: id, Input: "file", Product: id == "e/thresh"})
	}
	e.Variants[3].Work, e.Variants[4].Input = "something else", "another"
	return e
}

// at is a measurement of runs at these rates.
func at(id string, s Setting, mb ...float64) Measurement {
	m := Measurement{Variant: id, Setting: s}
	for _, v := range mb {
		m.Outcomes = append(m.Outcomes, Outcome{Seconds: 1, Bytes: int64(v * 1e6), UserSeconds: 0.25, SystemSeconds: 0.75})
	}
	return m
}

func besideOthers(m Measurement, share float64) Measurement {
	m.OthersShare = share
	return m
}

func walled(m Measurement, walls ...string) Measurement {
	for i, w := range walls {
		m.Outcomes[i].Wall = w
	}
	return m
}

func TestStandings(t *testing.T) {
	workers := Setting{State: Warm, Workers: 4}
	wrong := at("e/a", warmState, 900, 900, 900)
	wrong.Wrong = "7"
	profiled := at("e/a", Setting{State: Warm, Profiled: true}, 900, 900, 900)
	called := at("e/thresh", warmState, 100, 100, 100)
	for i := range called.Outcomes {
		called.Outcomes[i].Calls = 1000
	}
	idle := at("e/thresh", warmState, 100, 100, 100)
	for i := range idle.Outcomes {
		idle.Outcomes[i].UserSeconds, idle.Outcomes[i].SystemSeconds = 0, 0
	}
	instant := at("e/a", warmState, math.Inf(1))
	instant.Outcomes[0] = Outcome{Bytes: 1}
	own := func(mb ...float64) Measurement { return at("e/thresh", warmState, mb...) }
	for _, c := range []struct {
		what string
		m    []Measurement
		want Place
		line string // a part of it
	}{
		{"fastest", []Measurement{own(200, 201, 202), at("e/a", warmState, 99, 100, 101), at("e/b", warmState, 50)}, Fastest,
			"e/thresh, warm: 201 (200 to 202) MB/s, the best; e/a has 100 (99 to 101) MB/s."},
		{"ahead, but the spreads meet", []Measurement{own(99, 102, 106), at("e/a", warmState, 95, 100, 105)}, AsGood,
			"102 (99 to 106) MB/s, as good as the best; e/a has 100 (95 to 105) MB/s."},
		{"behind, but the spreads meet", []Measurement{own(95, 100, 105), at("e/a", warmState, 99, 102, 106)}, AsGood, "as good"},
		{"by 10 % and little overlap", []Measurement{own(104, 110, 116), at("e/a", warmState, 95, 100, 105)}, Fastest, "the best"},
		{"slower at a wall", []Measurement{walled(own(100, 101, 102), "none", "memory", ""), at("e/a", warmState, 200, 200, 201)}, Behind,
			"not the best; e/a has 200 (200 to 201) MB/s. Its limit: memory."},
		{"slower without a receipt", []Measurement{called, at("e/a", warmState, 200, 200, 200)}, Behind,
			"No receipt names its limit: e/thresh takes 10,737 ms of processor time a GiB, 75 % of it in the kernel, " +
				"on 1.00 processors, and 10,737 system calls; e/a takes 5,369 ms"},
		{"slower, nothing known", []Measurement{idle, at("e/a", warmState, 200, 200, 200)}, Behind, "what stopped it was not measured."},
		{"other workers", []Measurement{own(100, 100, 100), at("e/thresh", workers, 300, 300, 300), at("e/a", workers, 200, 200, 200)}, Fastest, "300"},
		{"what is not compared", []Measurement{own(100, 100, 100), at("e/a", warmState, 50, 50, 50), at("e/other-work", warmState, 900, 900),
			at("e/other-input", warmState, 900, 900), at("e/b", Setting{State: Cold}, 900, 900), at("e/b", Setting{State: Warm, N: 7}, 900),
			profiled, instant}, Fastest, "e/a has 50"},
		{"a wrong answer of another", []Measurement{own(100, 100, 100), wrong}, Alone, "100 (100 to 100) MB/s, with nothing to compare."},
		{"a limit though it is the best", []Measurement{walled(own(100, 100, 100), "", "memory."), at("e/a", warmState, 50, 50, 50)}, Fastest,
			"Its limit: memory."},
		{"two runs", []Measurement{own(200, 200), at("e/a", warmState, 50, 50, 50)}, Untold,
			"can't be told; e/a has 50 (50 to 50) MB/s. Run only twice: e/thresh, and it takes 3 runs to know how much they differ."},
		{"beside others", []Measurement{own(200, 200, 200), besideOthers(at("e/a", warmState, 50, 50, 50), 0.21)}, Untold,
			"Others used 21 % of the processors while e/a ran."},
		{"beside a few others", []Measurement{own(200, 200, 200), besideOthers(at("e/a", warmState, 50, 50, 50), 0.2)}, Fastest, "the best"},
		{"skipped", []Measurement{{Variant: "e/thresh", Setting: warmState, Skipped: "no disk"}}, Nowhere,
			"e/thresh, warm: not measured here. e/thresh was not run: no disk."},
		{"wrong", []Measurement{{Variant: "e/thresh", Setting: warmState, Wrong: "1", Want: "2"}}, Nowhere, "wrong answer: 1 instead of 2."},
		{"too short", []Measurement{{Variant: "e/thresh", Setting: warmState, Outcomes: []Outcome{{Bytes: 1}}}}, Nowhere, "too short to measure."},
	} {
		all := rates().Standings(Results{Measurements: c.m})
		if len(all) != 1 || all[0].Place != c.want || !strings.Contains(all[0].String(), c.line) {
			t.Errorf("%s: %v, want %s and %q", c.what, all, c.want, c.line)
		}
		if c.want != Behind && c.want != Nowhere && c.want != Untold && all[0].Why != "" {
			t.Errorf("%s: a reason %q for a place that needs none", c.what, all[0].Why)
		}
	}
}

// TestStandingsOfTimes has a metric of which less is better.
func TestStandingsOfTimes(t *testing.T) {
	e := rates()
	e.Metric = Metric{Unit: "s", Of: func(o Outcome) float64 { return o.Seconds }}
	taking := func(id string, seconds float64) Measurement {
		o := Outcome{Seconds: seconds}
		return Measurement{Variant: id, Setting: warmState, Outcomes: []Outcome{o, o, o}}
	}
	for seconds, want := range map[float64]Place{1: Fastest, 2: AsGood, 4: Behind} {
		r := Results{Measurements: []Measurement{taking("e/thresh", seconds), taking("e/a", 2.02), taking("e/b", 3)}}
		if seconds == 2 {
			r.Measurements[0].Outcomes[0].Seconds = 2.1
		}
		if all := e.Standings(r); len(all) != 1 || all[0].Place != want || all[0].Other != "e/a" {
			t.Errorf("%g s: %v, want %s", seconds, all, want)
		}
	}
}

// TestStandingsOfCounts has a metric that neighbours do not change.
func TestStandingsOfCounts(t *testing.T) {
	e := rates()
	e.Metric.Counted = true
	r := Results{Measurements: []Measurement{besideOthers(at("e/thresh", warmState, 200, 200, 200), 0.9), at("e/a", warmState, 50, 50, 50)}}
	if all := e.Standings(r); len(all) != 1 || all[0].Place != Fastest {
		t.Errorf("%v", all)
	}
}

// TestStandingsOrder has one for each state and size, in their order.
func TestStandingsOrder(t *testing.T) {
	var m []Measurement
	var got []string
	for _, s := range []Setting{{State: Cold}, {State: Warm, N: 2}, {State: Pieces}, {State: Warm, N: 1}, {State: Warm, N: 1, Workers: 3}, {}} {
		m = append(m, at("e/thresh", s, 1))
	}
	for _, s := range rates().Standings(Results{Measurements: m}) {
		got = append(got, strings.TrimPrefix(s.Name(), "e/thresh"))
	}
	if want := []string{"", ", warm, n = 1", ", warm, n = 2", ", warm, in single pages", ", cold"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if all := rates().Standings(Results{}); len(all) != 0 {
		t.Errorf("%v of nothing", all)
	}
}
