package measure

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
)

func anyOf(ids []string) *regexp.Regexp {
	if len(ids) == 0 {
		return nil
	}
	return regexp.MustCompile("^(" + strings.Join(ids, "|") + ")$")
}

func TestShare(t *testing.T) {
	tests := []struct {
		name   string
		budget float64
		jobs   []cost
		want   []int
	}{
		{"all fit", 100, []cost{{1, 5}, {2, 20}}, []int{5, 20}},
		{"none", 100, nil, []int{}},
		{"the expensive get fewer", 20, []cost{{1, 10}, {5, 10}}, []int{5, 3}},
		{"what is cheap gets all", 40, []cost{{0.01, 10}, {10, 10}, {1, 10}}, []int{10, 3, 9}},
		{"at least two if not three", 25, []cost{{10, 5}, {1, 5}}, []int{2, 5}},
		{"one at least", 1, []cost{{10, 5}, {1, 5}}, []int{1, 1}},
		{"no more than asked", 100, []cost{{1, 1}, {1, 2}}, []int{1, 2}},
		{"no time", 0, []cost{{0, 5}, {1, 5}}, []int{1, 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := share(test.budget, test.jobs)
			if !slices.Equal(got, test.want) {
				t.Errorf("runs %v, want %v; they take %g of %g s", got, test.want, total(got, test.jobs), test.budget)
			}
		})
	}
}

func TestFitting(t *testing.T) {
	const gib = 1 << 30
	tests := []struct{ bytes, available, free, want int64 }{
		{0, 0, 0, gib},
		{0, 6 * gib, 4 * gib, gib},
		{0, 6*gib - 1, 4 * gib, gib / 2},
		{0, 6 * gib, 4*gib - 1, gib / 2},
		{500e6, 24 * gib, 100 * gib, 500e6},
		{8 * gib, 24 * gib, 100 * gib, 4 * gib},
		{0, 1, 1, 1 << 20},
	}
	for _, test := range tests {
		if got := fitting(test.bytes, test.available, test.free); got != test.want {
			t.Errorf("%d bytes with %d available, %d free: %d, want %d", test.bytes, test.available, test.free, got, test.want)
		}
	}
}

func TestSettings(t *testing.T) {
	v := lab.Variant{Settings: []lab.Setting{
		{State: lab.Warm, Workers: 1}, {State: lab.Warm, Workers: 2}, {State: lab.Cold, Workers: 2}, {State: lab.Warm},
		{N: 3, Procs: 1},
	}}
	warm := func(n int) lab.Setting { return lab.Setting{State: lab.Warm, Workers: n} }
	cold := func(n int) lab.Setting { return lab.Setting{State: lab.Cold, Workers: n} }
	last := lab.Setting{N: 3, Procs: 1}
	tests := []struct {
		choice Choice
		want   []lab.Setting
	}{
		{Choice{Cold: true}, []lab.Setting{warm(1), warm(2), cold(2), warm(0), last}},
		{Choice{}, []lab.Setting{warm(1), warm(2), warm(0), last}},
		{Choice{Cold: true, Scale: []int{3, 5}}, []lab.Setting{warm(3), warm(5), cold(3), cold(5), warm(0), last}},
	}
	for _, test := range tests {
		if got := test.choice.settings(&v); !slices.Equal(got, test.want) {
			t.Errorf("%+v: %v, want %v", test.choice, got, test.want)
		}
	}
	if got := (Choice{}).settings(&lab.Variant{}); !slices.Equal(got, []lab.Setting{{}}) {
		t.Errorf("no settings: %v", got)
	}
}

func TestCheck(t *testing.T) {
	if err := Check([]*lab.Experiment{made()}); err != nil {
		t.Error(err)
	}
	twice, input, run := made(), made(), made()
	twice.Variants[1].ID = twice.Variants[0].ID
	input.Variants[0].Input = "other"
	run.Variants[0].Run = nil
	for want, e := range map[string]*lab.Experiment{"occurs twice": twice, `no input "other"`: input, "cannot be run": run} {
		if err := Check([]*lab.Experiment{e}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestConditions(t *testing.T) {
	s := lab.Setting{State: lab.Cold, Workers: 1, Procs: 2, N: 100, Profiled: true}
	if got := strings.Join(Conditions(s), ", "); got != "cold, 1 worker, 2 processors, n = 100, profiled" {
		t.Error(got)
	}
	if got := Conditions(lab.Setting{}); got != nil {
		t.Errorf("%q", got)
	}
}

func TestParsePerf(t *testing.T) {
	got, err := parsePerf(`thresh-lab
	ffffffff8120a0b0 clear_page ([kernel.kallsyms])
	          4711aa main.work;x (/tmp/lab)
	          4711ab runtime.main (/tmp/lab)

thresh-lab
	ffffffffc0a01234 [unknown] ([ext4])
	          4711ab runtime.main (/tmp/lab)

thresh-lab
	    7f0012345678 [unknown] ([vdso])
	          4711ab runtime.main (/tmp/lab)

thresh-lab
	    7f0012345678 [unknown] ([vdso])
	          4711ab runtime.main (/tmp/lab)

java
	    7f0012345678 [unknown] (/tmp/perf-4711.map)
`)
	want := map[string]int64{"runtime.main;main.work:x;clear_page_[k]": 1, "runtime.main;[ext4]_[k]": 1, "runtime.main;[vdso]": 2,
		"[compiled while running]": 1}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, error %v; want %v", got, err, want)
	}
	if got, err := parsePerf("\n"); err != nil || len(got) > 0 {
		t.Errorf("no sample: %v, error %v", got, err)
	}
}

func TestTail(t *testing.T) {
	w := &tail{keep: 5}
	for _, s := range []string{"", "abc", "defgh", "i\n"} {
		if n, err := w.Write([]byte(s)); n != len(s) || err != nil {
			t.Fatal(n, err)
		}
	}
	if got := w.said(); got != "; it wrote: fghi" {
		t.Errorf("%q", got)
	}
	if got := (&tail{}).said(); got != "" {
		t.Errorf("%q", got)
	}
}

func TestWant(t *testing.T) {
	by := func(s lab.Setting) string { return fmt.Sprint("n = ", s.N) }
	part := func(answer string) string { return "part of " + answer }
	for _, test := range []struct {
		name string
		v    lab.Variant
		want string
	}{
		{"of the input", lab.Variant{Input: "file"}, "all"},
		{"a part of it", lab.Variant{Input: "file", WantOf: part}, "part of all"},
		{"not by the setting if there is an input", lab.Variant{Input: "file", Want: by}, "all"},
		{"by the setting", lab.Variant{Want: by}, "n = 3"},
		{"no part if there is no input", lab.Variant{Want: by, WantOf: part}, "n = 3"},
		{"unknown", lab.Variant{WantOf: part}, ""},
	} {
		answer := ""
		if test.v.Input != "" {
			answer = "all"
		}
		if got := want(job{variant: &test.v, setting: lab.Setting{N: 3}}, answer); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestEntryOf: a run of another variant, setting or size is not one of the job's.
func TestEntryOf(t *testing.T) {
	s := lab.Setting{State: lab.Warm, Workers: 2}
	j := job{variant: &lab.Variant{ID: "e/a"}, setting: s, bytes: 4096}
	if e := (entry{Variant: "e/a", Setting: s, Bytes: 4096}); !e.of(j) {
		t.Errorf("%+v is not the job's", e)
	}
	for _, e := range []entry{
		{Variant: "e/b", Setting: s, Bytes: 4096}, {Variant: "e/a", Setting: lab.Setting{State: lab.Warm}, Bytes: 4096},
		{Variant: "e/a", Setting: s, Bytes: 8192},
	} {
		if e.of(j) {
			t.Errorf("%+v is the job's", e)
		}
	}
}

// TestMeasurement puts runs together, and ends a job whose answer is wrong.
func TestMeasurement(t *testing.T) {
	run := func(want, answer string, others float64) entry {
		return entry{Want: want, Others: others, Host: others / 5, Seconds: 2, Faults: 7, Outcome: &lab.Outcome{Seconds: 1, Answer: answer}}
	}
	begin := func() *work {
		return &work{job: job{variant: &lab.Variant{ID: "e/a"}, experiment: &lab.Experiment{Method: lab.Method{Runs: 3}}}, runs: 3}
	}
	w := begin()
	if m, ok := w.measurement(); ok {
		t.Errorf("a measurement before the first run: %+v", m)
	}
	w.add(run("", "whatever", 0.25)) // no answer is wanted
	w.add(run("x", "x", 0.75))
	m, ok := w.measurement()
	if !ok || m.OthersShare != 0.5 || m.HostShare != 0.1 || m.Wrong != "" || m.FaultsPerGiB != 7 || !strings.HasPrefix(m.Fewer, "2 of 3 runs") || w.ended {
		t.Errorf("%+v, ended %t", m, w.ended)
	}
	if !w.wants(3) || w.wants(2) {
		t.Error("it wants a third run, and no more than others have")
	}
	w.add(run("x", "y", 0))
	if m, _ := w.measurement(); m.Wrong != "y" || m.Want != "x" || m.Fewer != "" || w.wants(9) {
		t.Errorf("after a wrong answer: %+v, ended %t", m, w.ended)
	}
	w = begin()
	w.add(run("", "z", -0.5)) // by the clock's coarseness
	w.leaveOut(pagecache.ErrLost)
	if m, ok := w.measurement(); !ok || len(m.Outcomes) != 1 || m.OthersShare != 0 || m.Skipped != "" || w.wants(9) ||
		m.Fewer != "1 of 3 runs: left out: "+pagecache.ErrLost.Error() {
		t.Errorf("left out after a run: %+v", m)
	}
	w = begin()
	w.add(run("", "z", 0))
	w.add(entry{Skipped: "failed"})
	if m, ok := w.measurement(); !ok || m.Skipped != "failed" || len(m.Outcomes) > 0 || w.wants(9) {
		t.Errorf("after a failure: %+v, ended %t", m, w.ended)
	}
}

// TestEndedShare: what has ended takes no time from the others.
func TestEndedShare(t *testing.T) {
	costly := &work{runs: 5, ended: true, entries: []entry{{Seconds: 50}}}
	cheap := &work{runs: 5, entries: []entry{{Seconds: 1}}}
	unknown := &work{runs: 5}
	p := &plan{budget: 6 * time.Second, work: []*work{costly, cheap, unknown}}
	if p.share(); cheap.runs != 5 || costly.runs != 5 || unknown.runs != 5 {
		t.Errorf("%d, %d and %d runs", costly.runs, cheap.runs, unknown.runs)
	}
	costly.ended = false
	if p.share(); cheap.runs != 1 || costly.runs != 1 {
		t.Errorf("%d and %d runs", costly.runs, cheap.runs)
	}
}

// TestClock: what is left is estimated from what is known of the same experiment, within its budget.
func TestClock(t *testing.T) {
	job := func(runs, done int, seconds float64) *work {
		w := &work{runs: runs, job: job{bytes: 350e6}} // 1 s, as long as nothing is known
		for range done {
			w.entries = append(w.entries, entry{Seconds: seconds})
		}
		return w
	}
	ended := job(5, 1, 100)
	ended.ended = true
	profiled := job(8, 1, 1)
	profiled.setting.Profiled = true
	profiled.entries[0].Profile = &lab.Profile{Folded: map[string]int64{"a": 150}}
	for _, test := range []struct {
		name       string
		plan       *plan
		done, left float64
	}{
		{"nothing has run", &plan{budget: time.Minute, work: []*work{job(5, 0, 0), job(3, 0, 0)}}, 0, 8},
		{"no more than the budget", &plan{budget: 5 * time.Second, work: []*work{job(10, 0, 0)}}, 0, 5},
		{"but a run of each", &plan{budget: 500 * time.Millisecond, work: []*work{job(10, 0, 0), job(5, 0, 0)}}, 0, 2},
		{"some have run", &plan{budget: time.Minute, work: []*work{job(5, 5, 1), job(5, 1, 3), job(2, 0, 0)}}, 8, 16},
		{"the rest of the budget", &plan{budget: 10 * time.Second, work: []*work{job(5, 1, 4)}}, 4, 6},
		{"what has ended gets no more", &plan{budget: time.Minute, work: []*work{ended}}, 100, 0},
		{"until there are samples enough", &plan{budget: time.Minute, work: []*work{profiled}}, 1, 2},
	} {
		c := clock{[]*plan{test.plan}}
		done, left := c.left()
		if want := test.done / (test.done + test.left); left.Seconds() != test.left || math.Abs(done-want) > 1e-9 {
			t.Errorf("%s: done %g, left %v, want %g and %g s", test.name, done, left, want, test.left)
		}
	}
	two := clock{[]*plan{{budget: time.Minute, work: []*work{job(2, 0, 0)}}, {budget: time.Minute, work: []*work{job(2, 1, 4)}}}}
	if done, left := two.left(); left != 6*time.Second || done != 0.4 {
		t.Errorf("two experiments: done %g, left %v", done, left)
	}
	if done, left := (&clock{}).left(); done != 1 || left != 0 {
		t.Errorf("nothing to do: done %g, left %v", done, left)
	}
}
