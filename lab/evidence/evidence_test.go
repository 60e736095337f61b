package evidence

import (
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

var (
	warm   = lab.Setting{State: lab.Warm}
	pieces = lab.Setting{State: lab.Pieces}
)

// experiment measures in MB/s.
func experiment() *lab.Experiment {
	return &lab.Experiment{Name: "e", Method: lab.Method{Runs: 3}, Metric: lab.Metric{Unit: "MB/s", MoreIsBetter: true,
		Of: func(o lab.Outcome) float64 { return float64(o.Bytes) / o.Seconds / 1e6 }}}
}

// at returns three runs of a variant at so many MB/s.
func at(id string, s lab.Setting, rate float64) lab.Measurement {
	o := lab.Outcome{Seconds: 1, Bytes: int64(rate * 1e6)}
	return lab.Measurement{Variant: "e/" + id, Setting: s, Outcomes: []lab.Outcome{o, o, o}}
}

func figures(all ...lab.Measurement) *Figures {
	return &Figures{Experiment: experiment(), Results: lab.Results{Measurements: all}}
}

func TestOver(t *testing.T) {
	f := figures(at("fast", warm, 3000), at("slow", warm, 30), at("fast", pieces, 1))
	r, text, ok := f.Over("fast", "slow", warm)
	if !ok || r != (lab.Ratio{Low: 100, Value: 100, High: 100}) || len(f.Absent) > 0 {
		t.Errorf("%v, %t, absent %q", r, ok, f.Absent)
	}
	if want := "fast 3000 MB/s, slow 30.0 MB/s, 100.00 times"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	wrong := at("bad", warm, 5)
	wrong.Wrong, wrong.Want = "7", "8"
	for _, c := range []struct {
		a, b   string
		absent []string
	}{
		{"fast", "none", []string{"e/none was not run"}},
		{"skipped", "slow", []string{"e/skipped was not run: no disk"}},
		{"bad", "slow", []string{"e/bad gave a wrong answer: 7 instead of 8"}},
		{"none", "skipped", []string{"e/none was not run", "e/skipped was not run: no disk"}}, // both are looked up
	} {
		f := figures(at("fast", warm, 3000), at("slow", warm, 30), wrong,
			lab.Measurement{Variant: "e/skipped", Setting: warm, Skipped: "no disk"})
		if r, text, ok := f.Over(c.a, c.b, warm); ok || text != "" || r != (lab.Ratio{}) || !equal(f.Absent, c.absent) {
			t.Errorf("%s over %s: %v, %q, %t, absent %q; want %q", c.a, c.b, r, text, ok, f.Absent, c.absent)
		}
	}
}

// equal leaves full stops aside: reasons may be sentences.
func equal(got, want []string) bool {
	return slices.EqualFunc(got, want, func(g, w string) bool { return strings.TrimSuffix(g, ".") == w })
}

func TestFaultBytes(t *testing.T) {
	counted := at("read", warm, 1)
	counted.FaultsPerGiB = 1 << 14 // one for 64 KiB
	mapped := at("mapped", pieces, 1<<30/1e6)
	for i := range mapped.Outcomes { // each reads a GiB with a fault for each 4 KiB
		mapped.Outcomes[i].Bytes, mapped.Outcomes[i].MinorFaults = 1<<30, 1<<18
		mapped.Outcomes[i].UserSeconds, mapped.Outcomes[i].SystemSeconds = 0.5, 1.5
	}
	warmMapped := mapped
	warmMapped.Setting = warm
	other := counted
	other.Variant, other.Setting, other.FaultsPerGiB = "else/read", pieces, 1
	f := figures(other, counted, mapped, warmMapped)
	for _, c := range []struct {
		s    lab.Setting
		id   string
		want float64
		note string
	}{
		{warm, "mapped", 64 << 10, "file warm: 16384 faults per GiB of mapping, one for 64 KiB"},                                   // the count goes first
		{pieces, "mapped", 4 << 10, "file warm, in single pages: 262144 faults per GiB of mapping, one for 4 KiB"},                 // no count
		{lab.Setting{State: lab.Warm, Workers: 2}, "none", 64 << 10, "file warm: 16384 faults per GiB of mapping, one for 64 KiB"}, // of the state
		{pieces, "none", 0, ""},
		{lab.Setting{State: lab.Cold}, "mapped", 0, ""},
	} {
		f.evidence = nil
		if got := f.FaultBytes(c.s, c.id); got != c.want {
			t.Errorf("%v, %s: %g, want %g", c.s, c.id, got, c.want)
		}
		if last := append([]string{""}, f.evidence...); last[len(last)-1] != c.note {
			t.Errorf("%v, %s: evidence %q, want %q", c.s, c.id, f.evidence, c.note)
		}
	}
	f.evidence = nil
	if u := f.Use("mapped", pieces); u != (Use{Busy: 2, Kernel: 0.75, Faults: 1 << 18}) ||
		len(f.evidence) != 1 || !strings.Contains(f.evidence[0], "2.0 processors busy, 75 % of that in the kernel") {
		t.Errorf("%+v, evidence %q", u, f.evidence)
	}
	if u := f.Use("read", warm); u != (Use{}) || len(f.evidence) != 1 { // without processor time nothing is known
		t.Errorf("%+v, evidence %q", u, f.evidence)
	}
}

func TestByState(t *testing.T) {
	f := figures(at("a", warm, 1))
	look := func(holds map[lab.State]lab.Holds) func(lab.State) (Part, bool) {
		return func(s lab.State) (Part, bool) {
			if _, known := f.Of("a", lab.Setting{State: s}); !known {
				return Part{}, false
			}
			return Part{holds[s], "2 times", "the pages are large"}, true
		}
	}
	v := f.ByState(look(map[lab.State]lab.Holds{lab.Warm: lab.Yes}))
	if v.Holds != lab.Yes || v.Ours != "warm: 2 times (holds)" ||
		!strings.HasPrefix(v.Why, "File warm: the pages are large. File warm, in single pages: not tested, e/a was not run") {
		t.Errorf("one state missing: %+v", v)
	}
	if len(f.Absent) > 0 { // it is in the verdict's reason
		t.Errorf("absent %q", f.Absent)
	}
	f.Results.Measurements = append(f.Results.Measurements, at("a", pieces, 1))
	for second, want := range map[lab.Holds]lab.Holds{lab.Yes: lab.Yes, lab.No: lab.InPart, lab.Unclear: lab.Unclear} {
		v := f.ByState(look(map[lab.State]lab.Holds{lab.Warm: lab.Yes, lab.Pieces: second}))
		if v.Holds != want || !strings.Contains(v.Ours, "; warm, in single pages: 2 times ("+string(second)+")") {
			t.Errorf("%s: %+v, want %s", second, v, want)
		}
	}
	f.Results.Measurements = nil
	if v := f.ByState(look(nil)); v.Holds != "" || v.Ours != "" || strings.Count(v.Why, "e/a was not run") != 2 {
		t.Errorf("no state: %+v", v)
	}
}

func TestClaim(t *testing.T) {
	judge := func(c func(f *Figures) lab.Verdict) lab.Verdict {
		f := figures(at("a", warm, 20))
		f.Results.Machine.Limits = map[string]float64{"memory": 5e9}
		return Claim("X1", "text", "theirs", c).Judge(f.Experiment, f.Results)
	}
	v := judge(func(f *Figures) lab.Verdict {
		f.NoteLimits("memory", "unknown")
		f.Note("n = %d", 3)
		f.Of("b", warm) // a figure that is absent does not change a verdict that there is
		return lab.Verdict{Holds: lab.No, Why: "so"}
	})
	if v.Holds != lab.No || v.Why != "so" || !slices.Equal(v.Evidence, []string{"limit memory: 5000 MB/s", "n = 3"}) {
		t.Errorf("%+v", v)
	}
	for holds, why := range map[lab.Holds]string{"": "", lab.Untested: "it needs both"} {
		v := judge(func(f *Figures) lab.Verdict {
			f.Over("b", "c", warm)
			return lab.Verdict{Holds: holds, Why: why}
		})
		for _, part := range []string{why, "e/b was not run", "e/c was not run"} {
			if v.Holds != lab.Untested || !strings.Contains(v.Why, part) || strings.HasPrefix(v.Why, ";") {
				t.Errorf("%q: %+v, want %q in it", holds, v, part)
			}
		}
	}
	if c := Claim("X1", "text", "theirs", nil); c.ID != "X1" || c.Text != "text" || c.Theirs != "theirs" {
		t.Errorf("%+v", c)
	}
}

// TestLookups looks up what there is, and what there is not: each remembers why once.
func TestLookups(t *testing.T) {
	runs := lab.Measurement{Variant: "e/runs", Setting: warm}
	for _, seconds := range []float64{5, 2, 3, 9, 4, 8} {
		runs.Outcomes = append(runs.Outcomes, lab.Outcome{Seconds: seconds, Bytes: 1e6, Calls: int64(10 * seconds)})
	}
	wrong := at("bad", warm, 5)
	wrong.Wrong, wrong.Want = "7", "8"
	four := lab.Setting{State: lab.Warm, Workers: 4}
	profiled := at("a", lab.Setting{State: lab.Warm, Profiled: true}, 900)
	f := figures(runs, wrong, profiled, at("a", warm, 10), at("a", four, 30), at("a", pieces, 99), at("b", warm, 20))
	f.Experiment.Metric.Of = func(o lab.Outcome) float64 { return o.Seconds }
	if s, ok := f.Fastest("runs", warm); !ok || s != (lab.Spread{Low: 2, Value: 2, High: 3, Runs: 6}) {
		t.Errorf("fastest %+v, %t", s, ok)
	}
	if s, ok := f.Other("runs", warm, func(o lab.Outcome) float64 { return float64(o.Calls) }); !ok || s.Low != 20 || s.High != 90 {
		t.Errorf("calls %+v, %t", s, ok)
	}
	if m := f.Any("bad", warm); m == nil || m.Wrong != "7" {
		t.Errorf("the wrong answer is %+v", m)
	}
	f.Experiment = experiment()
	isWarm := func(s lab.Setting) bool { return s.State == lab.Warm }
	best, ok := f.Best(isWarm, "a", "b", "none")
	if !ok || best.ID != "a" || best.Setting != four || f.Name(best) != "a with 4 workers 30.0 MB/s" {
		t.Errorf("best %+v, %t", best, ok)
	}
	f.Experiment.Metric.MoreIsBetter = false
	if best, ok := f.Best(isWarm, "a", "b"); !ok || f.Name(best) != "a 10.0 MB/s" {
		t.Errorf("least %+v, %t", best, ok)
	}
	if len(f.Absent) > 0 {
		t.Errorf("absent %q of what there is", f.Absent)
	}
	for range 2 {
		_, fastest := f.Fastest("bad", warm)
		_, of := f.Of("else/x", warm) // of another experiment
		_, best := f.Best(isWarm, "bad", "none")
		if fastest || of || best || f.Any("gone", warm) != nil {
			t.Error("there is what there is not")
		}
	}
	want := []string{"e/bad gave a wrong answer: 7 instead of 8", "else/x was not run", "e/none was not run", "e/gone was not run"}
	if !slices.Equal(f.Absent, want) {
		t.Errorf("absent %q, want %q", f.Absent, want)
	}
}

func TestCosts(t *testing.T) {
	m := lab.Measurement{Variant: "e/a", Setting: warm, Outcomes: []lab.Outcome{
		{Seconds: 1, Items: 10, UserSeconds: 1, SystemSeconds: 1, Memory: &lab.Memory{TotalAllocBytes: 1, Collections: 1}},
		{Seconds: 1, Items: 10, UserSeconds: 0.5, SystemSeconds: 1.5,
			Memory: &lab.Memory{TotalAllocBytes: 70, SysBytes: 2 << 20, Collections: 4}},
	}}
	f := figures(m, at("bare", warm, 1))
	if u := f.Use("a", warm); u != (Use{Busy: 2, Kernel: 0.625, Item: 0.2}) {
		t.Errorf("%+v", u)
	}
	if got, ok := f.Memory("a", warm, "line"); !ok || got != (Memory{7, 2 << 20, 4}) { // of the last run
		t.Errorf("%+v, %t", got, ok)
	}
	want := []string{"a warm: 2.0 processors busy, 62 % of that in the kernel",
		"a: 7 bytes allocated a line, 2 MiB from the system, 4 collections"}
	if !slices.Equal(f.evidence, want) {
		t.Errorf("evidence %q, want %q", f.evidence, want)
	}
	for _, id := range []string{"bare", "none"} {
		if _, ok := f.Memory(id, warm, "line"); ok || f.Use(id, warm) != (Use{}) || len(f.evidence) != 2 {
			t.Errorf("%s: evidence %q", id, f.evidence)
		}
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[float64]string{4096: "4 KiB", 999 << 10: "999 KiB", 1000 << 10: "0.977 MiB", 1 << 20: "1 MiB", 3 << 19: "1.5 MiB"} {
		if got := Size(bytes); got != want {
			t.Errorf("%g: %q, want %q", bytes, got, want)
		}
	}
}
