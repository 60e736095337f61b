package tens

import (
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

// article are results as the article has them. Its readers' baselines have no figures there.
func article() lab.Results {
	r := lab.Results{Machine: lab.Machine{Processors: 32, Limits: map[string]float64{"direct_read": 6.2e9}}}
	for _, v := range Experiment().Variants {
		for _, p := range v.Published {
			r.Measurements = append(r.Measurements, measured(v.ID, p.Setting, p.Value))
			if p.Setting.State == lab.Warm {
				s := p.Setting
				s.State = lab.Pieces
				r.Measurements = append(r.Measurements, measured(v.ID, s, p.Value))
			}
		}
	}
	for _, id := range []string{"tens/mmap-parallel", "tens/pread-parallel"} {
		r.Measurements = append(r.Measurements, measured(id, lab.Setting{State: lab.Warm}, 5.5),
			measured(id, lab.Setting{State: lab.Cold}, 3))
	}
	return r
}

// measured is a measurement of that many GiB/s, with 2 % between the slowest and the fastest run.
func measured(id string, s lab.Setting, rate float64) lab.Measurement {
	m := lab.Measurement{Variant: id, Setting: s}
	for _, by := range []float64{0.5, 0.99, 1, 1.01, 2} { // the first and the last are dropped
		seconds := 1 / (rate * by)
		m.Outcomes = append(m.Outcomes, lab.Outcome{Seconds: seconds, Bytes: 1 << 30, UserSeconds: seconds,
			SystemSeconds: seconds / 2, MinorFaults: 1 << 14})
	}
	return m
}

// TestClaims judges the article's own figures, by which all hold, and made-up ones for every other outcome.
func TestClaims(t *testing.T) {
	one, onePieces := lab.Setting{State: lab.Warm, Workers: 1}, lab.Setting{State: lab.Pieces, Workers: 1}
	warm, cold := lab.Setting{State: lab.Warm}, lab.Setting{State: lab.Cold}
	type changes map[string]map[lab.Setting]float64 // 0: skipped
	both := func(s lab.Setting, rate float64) changes {
		return changes{"c-uring": {s: rate}, "uring": {s: rate}}
	}
	tests := []struct {
		id      string
		changes changes
		limits  map[string]float64
		want    lab.Holds
		why     string
	}{
		{id: "T1", want: lab.Yes, why: "for each 64 KiB interrupts"},
		{id: "T1", changes: changes{"c-unrolled": {one: 7.8}}, want: lab.InPart, why: "costs little"},
		{id: "T1", changes: changes{"c-unrolled": {one: 7.8, onePieces: 7.8}}, want: lab.No},
		{id: "T1", changes: changes{"c-unrolled": {one: 6.6, onePieces: 6.6}}, want: lab.InPart, why: "interrupts"},
		{id: "T1", changes: changes{"c-unrolled": {one: 7.9 / 1.15, onePieces: 5}}, want: lab.Unclear},
		{id: "T1", changes: changes{"c-unrolled": {one: 0, onePieces: 0}}, want: lab.Yes},
		{id: "T1", changes: changes{"c-ram-unrolled": {ownMemory: 0}}, want: lab.Untested, why: "c-ram-unrolled"},
		{id: "T2", want: lab.Yes, why: "more than counting in the mapping takes"},
		{id: "T2", changes: changes{"c-unrolled": {one: 20}}, want: lab.InPart, why: "at most 5.77 GiB/s"},
		{id: "T2", changes: changes{"c-unrolled": {one: 20, onePieces: 20}}, want: lab.No},
		{id: "T2", changes: changes{"c-unrolled": {one: 5.81, onePieces: 5.81}}, want: lab.Unclear},
		{id: "T2", changes: both(sixCold, 0), want: lab.Untested, why: "uring"},
		{id: "T3", want: lab.Yes, why: "takes as much as the storage delivers: "},
		{id: "T3", changes: both(sixCold, 3), want: lab.No, why: "bring less"},
		{id: "T3", changes: changes{"c-uring": {sixCold: 3}}, want: lab.Yes},
		{id: "T3", changes: both(sixCold, 5.77/1.15), want: lab.Unclear, why: tooNoisy},
		{id: "T3", limits: map[string]float64{}, want: lab.Untested, why: "thresh limits"},
		{id: "T4", want: lab.Yes, why: "stay as fast"},
		{id: "T4", changes: changes{"pread-parallel": {warm: 20}}, want: lab.InPart, why: "pread-parallel takes it from memory"},
		{id: "T4", changes: changes{"pread-parallel": {warm: 20, cold: 9}}, want: lab.No, why: "through the page cache pread-parallel brings more"},
		{id: "T4", changes: changes{"pread-parallel": {warm: 0, cold: 0}, "mmap-parallel": {warm: 0, cold: 0}},
			want: lab.Untested, why: "mmap-parallel"},
		{id: "T4", changes: both(sixCold, 0), want: lab.Untested},
	}
	e := Experiment()
	for i, test := range tests {
		r := article()
		if test.limits != nil {
			r.Machine.Limits = test.limits
		}
		for i, m := range r.Measurements {
			rate, changed := test.changes[strings.TrimPrefix(m.Variant, "tens/")][m.Setting]
			switch {
			case changed && rate == 0:
				r.Measurements[i] = lab.Measurement{Variant: m.Variant, Setting: m.Setting, Skipped: "no such machine"}
			case changed:
				r.Measurements[i] = measured(m.Variant, m.Setting, rate)
			}
		}
		v := judge(t, e, test.id, r)
		if v.Holds != test.want || !strings.Contains(v.Why, test.why) || v.Holds != lab.Untested && v.Ours == "" {
			t.Errorf("test %d, %s: %q, want %q; ours %s; why %s", i, test.id, v.Holds, test.want, v.Ours, v.Why)
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

// TestFioIsTheDevice checks that a peer which read faster than the machine's limit stands for the storage.
func TestFioIsTheDevice(t *testing.T) {
	r := article()
	r.Measurements = append(r.Measurements, measured("needle/fio-direct", lab.Setting{State: lab.Cold}, 9))
	if v := judge(t, Experiment(), "T3", r); v.Holds != lab.No || !strings.Contains(v.Ours, "fio without counting 9.00 GiB/s") {
		t.Errorf("%+v", v)
	}
}

// TestNoResults checks that no claim is judged without figures.
func TestNoResults(t *testing.T) {
	e := Experiment()
	if len(e.Claims) != 4 {
		t.Errorf("%d claims, want four", len(e.Claims))
	}
	for _, c := range e.Claims {
		if v := c.Judge(e, lab.Results{}); v.Holds != lab.Untested || v.Why == "" || c.Text == "" || c.Theirs == "" {
			t.Errorf("%s: %+v", c.ID, v)
		}
	}
}
