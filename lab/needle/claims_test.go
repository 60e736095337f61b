package needle

import (
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

var pieces = lab.Setting{State: lab.Pieces}

// article are results as the article has them, with page faults of 4 KiB.
func article() lab.Results {
	r := lab.Results{Machine: lab.Machine{Processors: 12, Limits: map[string]float64{
		"memory_all": 50e9, "direct_read": 5.1e9, "cold_read": 2e9,
	}}}
	for _, v := range Variants() {
		for _, p := range v.Published {
			r.Measurements = append(r.Measurements, measured(v.ID, p.Setting, p.Value))
			if p.Setting == warm {
				m := measured(v.ID, pieces, p.Value)
				m.FaultsPerGiB = 1 << 18
				r.Measurements = append(r.Measurements, m)
			}
		}
	}
	r.Measurements = append(r.Measurements, measured("v07", lab.Setting{State: lab.Warm, Workers: 12}, 34_000))
	return r
}

// measured is a measurement of that many MB/s, with 2 % between the slowest and the fastest run.
func measured(id string, s lab.Setting, mb float64) lab.Measurement {
	m := lab.Measurement{Variant: name + "/" + id, Setting: s}
	for _, by := range []float64{0.5, 0.99, 1, 1.01, 2} { // the first and the last are dropped
		seconds := (1 << 30) / (mb * by * 1e6)
		m.Outcomes = append(m.Outcomes, lab.Outcome{Seconds: seconds, Bytes: 1 << 30, UserSeconds: seconds,
			SystemSeconds: seconds, MinorFaults: 1 << 18})
	}
	return m
}

// change is another figure, or none if it is 0.
type change struct {
	id      string
	setting lab.Setting
	mb      float64
}

func changed(r lab.Results, changes []change) lab.Results {
	for _, c := range changes {
		for i := range r.Measurements {
			m := &r.Measurements[i]
			if m.Variant != name+"/"+c.id || m.Setting != c.setting {
				continue
			}
			faults := m.FaultsPerGiB
			if *m = (lab.Measurement{Variant: m.Variant, Setting: m.Setting, Skipped: "no such machine"}); c.mb > 0 {
				*m = measured(c.id, c.setting, c.mb)
				m.FaultsPerGiB = faults
			}
		}
	}
	return r
}

// TestClaims judges the article's own figures, by which nearly all hold, and made-up ones for every other
// outcome.
func TestClaims(t *testing.T) {
	workers := func(n int) lab.Setting { return lab.Setting{State: lab.Warm, Workers: n} }
	tests := []struct {
		id      string
		changes []change
		limits  map[string]float64
		want    lab.Holds
		why     string // a part of it
	}{
		{id: "N1", want: lab.Yes, why: "each byte"},
		{id: "N1", changes: []change{{"v07", warm, 400_000}}, want: lab.InPart, why: "reading in parallel"},
		{id: "N1", changes: []change{{"v03", warm, 700}, {"v07", warm, 45_000}}, want: lab.No, why: "gains more"},
		{id: "N1", changes: []change{{"v02", warm, 0}}, want: lab.Untested, why: "no such machine"},
		{id: "N2", want: lab.Yes, why: "maps only 4 KiB"},
		{id: "N2", changes: []change{{"v04", warm, 40_000}}, want: lab.InPart, why: "in single pages: a page fault maps only"},
		{id: "N2", changes: []change{{"v04", warm, 40_000}, {"v04", pieces, 20_000}}, want: lab.No, why: "even so"},
		{id: "N2", changes: []change{{"v04", pieces, 0}}, want: lab.Yes, why: "not tested, needle/v04"},
		{id: "N2", changes: []change{{"v04", pieces, 0}, {"v04", warm, 0}}, want: lab.Untested, why: "not tested"},
		{id: "N2", changes: []change{{"v04", warm, 13_673 * 1.15}}, want: lab.Unclear},
		{id: "N3", want: lab.Yes, why: "nothing to read"},
		{id: "N3", changes: []change{{"v05", warm, 20_000}, {"v05", pieces, 20_000}}, want: lab.No, why: "less time"},
		{id: "N3", changes: []change{{"v05", warm, 7_000}}, want: lab.InPart, why: "costs time"},
		{id: "N4", want: lab.Yes, why: "goes to faults"},
		{id: "N4", changes: []change{{"v06", warm, 90_000}}, want: lab.InPart, why: "in single pages: a page fault maps only"},
		{id: "N4", changes: []change{{"v06", warm, 90_000}, {"v06", pieces, 90_000}}, want: lab.No},
		{id: "N4", changes: []change{{"v06", warm, 38_500}, {"v06", pieces, 38_500}}, want: lab.InPart},
		{id: "N5", want: lab.Yes, why: "one thread maps"},
		{id: "N5", changes: []change{{"v10", warm, 30_000}, {"v10", pieces, 30_000}}, want: lab.No, why: "little time"},
		{id: "N6", want: lab.Yes, why: "copy"},
		{id: "N6", changes: []change{{"v08", warm, 30_000}}, want: lab.InPart, why: "the wall here"},
		{id: "N6", changes: []change{{"v08", warm, 30_000}, {"v11", warm, 60_000}}, want: lab.No, why: "not saturated"},
		{id: "N6", changes: []change{{"v08", warm, 13_233 * 1.5}}, want: lab.Unclear},
		{id: "N7", want: lab.Yes, why: "same loop"},
		{id: "N7", changes: []change{{"v12", warm, 30_000}}, want: lab.InPart, why: "width"},
		{id: "N7", changes: []change{{"v12", warm, 30_000}, {"v13", warm, 80_000}}, want: lab.No},
		{id: "N7", changes: []change{{"v12", warm, 0}}, want: lab.Untested, why: "needle/v12 was not run: no such machine"},
		{id: "N8", want: lab.Yes, why: "overlaps"},
		{id: "N8", changes: []change{{"v07", workers(24), 34_000}}, want: lab.No, why: "more"},
		{id: "N8", changes: []change{{"v07", workers(24), 0}}, want: lab.Untested, why: "--scale"},
		{id: "N9", want: lab.Yes, why: "in flight"},
		{id: "N9", changes: []change{{"v03", cold, 4_500}}, want: lab.InPart, why: "little is left"},
		{id: "N9", changes: []change{{"v03", cold, 4_500}, {"v11", cold, 9_000}}, want: lab.No},
		{id: "N9", changes: []change{{"v03", cold, 0}}, want: lab.Untested, why: "v03"},
		{id: "N10", want: lab.Yes, why: "where memory ends"},
		{id: "N10", limits: map[string]float64{"memory_all": 90e9}, want: lab.InPart, why: "before memory does"},
		{id: "N10", limits: map[string]float64{"memory_all": 90e9}, changes: []change{{"v09", warm, 80_000}}, want: lab.No,
			why: "mappings are faster"},
		{id: "N10", limits: map[string]float64{}, want: lab.Yes},
		{id: "N10", limits: map[string]float64{"memory_all": 49_251e6 * 1.15}, want: lab.Unclear},
	}
	e := Experiment()
	for _, test := range tests {
		r := changed(article(), test.changes)
		if test.limits != nil {
			r.Machine.Limits = test.limits
		}
		v := judge(t, e, test.id, r)
		if v.Holds != test.want || !strings.Contains(v.Why, test.why) || v.Holds != lab.Untested && v.Ours == "" {
			t.Errorf("%s with %v: %q, want %q; ours %s; why %s", test.id, test.changes, v.Holds, test.want, v.Ours, v.Why)
		}
	}
}

func judge(t *testing.T, e *lab.Experiment, id string, r lab.Results) lab.Verdict {
	t.Helper()
	for _, c := range e.Claims {
		if c.ID == id {
			return c.Judge(e, r)
		}
	}
	t.Fatalf("no claim %s", id)
	return lab.Verdict{}
}

// TestNoResults checks that no claim is judged without figures, and that each says what it rests on.
func TestNoResults(t *testing.T) {
	e := Experiment()
	if len(e.Claims) != 10 {
		t.Errorf("%d claims, want ten", len(e.Claims))
	}
	for _, c := range e.Claims {
		if v := c.Judge(e, lab.Results{}); v.Holds != lab.Untested || v.Why == "" {
			t.Errorf("%s: %+v", c.ID, v)
		}
		if c.Text == "" || c.Theirs == "" {
			t.Errorf("%s: incomplete", c.ID)
		}
	}
}

// TestEvidence checks that the reason of a verdict about mappings rests on the faults that were counted.
func TestEvidence(t *testing.T) {
	r := article()
	for i := range r.Measurements {
		if r.Measurements[i].Setting == warm {
			r.Measurements[i].FaultsPerGiB = 512
		}
	}
	v := judge(t, Experiment(), "N2", changed(r, []change{{"v04", warm, 40_000}}))
	all := strings.Join(v.Evidence, "\n")
	for _, want := range []string{"512 faults per GiB", "one for 2 MiB", "262144 faults per GiB", "one for 4 KiB"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in the evidence:\n%s", want, all)
		}
	}
	if !strings.Contains(v.Why, "2 MiB at once because the file is in large folios") {
		t.Errorf("why %s", v.Why)
	}
}
