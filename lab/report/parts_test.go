package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 7: "7", 1234567: "1,234,567", -1234: "-1,234", 99.94: "99.9", 99.96: "100", 9.994: "9.99", 9.996: "10.0",
		0.99949: "0.999", 0.9996: "1.00", 0.01234: "0.0123", 0.000012345: "1.23e-05", 13455.4: "13,455", math.Inf(1): "–",
	} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %s, want %s", v, got, want)
		}
	}
}

// TestFlame: frames lie within their callers, side by side, and small ones give way when there are too many.
func TestFlame(t *testing.T) {
	p := profiled{&lab.Measurement{}, foldedTree(map[string]int64{"a;b": 600, "a;c": 300, "a": 50, "d": 49, "e": 1, "none": 0})}
	const all = 6*(frameBytes+nameBytes) + len("allabcde")
	if n := p.root.bytes(1, map[string]bool{}); n != all {
		t.Errorf("all frames take %d bytes, want %d", n, all)
	}
	if n := p.root.bytes(1, map[string]bool{"all": true}); n != all-nameBytes-len("all") {
		t.Errorf("a name that is known takes bytes: %d", n)
	}
	var list names
	f := list.makeFlame(p.root, 1)
	type frame struct{ depth, first, samples int64 }
	got := map[string]frame{}
	for i := 0; i < len(f.Frames); i += 4 {
		got[list.List[f.Frames[i]]] = frame{f.Frames[i+1], f.Frames[i+2], f.Frames[i+3]}
	}
	for name, want := range map[string]frame{
		"all": {0, 0, 1000}, "a": {1, 0, 950}, "b": {2, 0, 600}, "c": {2, 600, 300}, "d": {1, 950, 49}, "e": {1, 999, 1},
	} {
		if got[name] != want {
			t.Errorf("%s lies at %v, want %v", name, got[name], want)
		}
	}
	if len(got) != 6 || f.Total != 1000 || f.Depth != 3 {
		t.Errorf("%d frames, %d samples, depth %d", len(got), f.Total, f.Depth)
	}
	for most, want := range map[int]float64{all: 0.001, all - 1: 0.002, all - 2*(frameBytes+nameBytes+1): 0.064, 1: 1.024} {
		if share := leastShare([]profiled{p}, most); share != want {
			t.Errorf("for at most %d bytes the least share is %v, want %v", most, share, want)
		}
	}
}

// TestProfileSource: the page says how a profile was taken, and what part of it is the kernel's.
func TestProfileSource(t *testing.T) {
	for want, p := range map[string]*lab.Profile{
		"4 samples by perf. 75 % of them are in the kernel.": {Source: "perf",
			Folded: map[string]int64{"a;read_[k];copy_[k]": 2, "a;read_[k]": 1, "a": 1}},
		"1 sample by pprof. Time in the kernel counts for the function that called it, and other programs are not seen: no perf.": {
			Source: "pprof", Note: "no perf", Folded: map[string]int64{"a": 1}},
		"No sample was taken by perf: the runs were too short, or only waited.": {Source: "perf"},
	} {
		if got := (profiled{&lab.Measurement{Profile: p}, foldedTree(p.Folded)}).source(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestExecutionTable has a row for each variant with a trace, in units that people read.
func TestExecutionTable(t *testing.T) {
	x := &lab.Execution{File: "/home/me/donations-rev2.trace", Seconds: 2, Goroutines: 12, GoroutinesMost: 9, Running: 1.5,
		WaitMedian: 1e-6, Wait99: 2e-4, WaitMax: 0.03, GCs: 8, GCShare: 0.25, Pauses: 0.004}
	with := profiled{&lab.Measurement{Variant: "donations/rev2", Profile: &lab.Profile{Execution: x}}, nil}
	without := profiled{&lab.Measurement{Variant: "donations/thresh", Profile: &lab.Profile{}}, nil}
	got := executionTable([]profiled{without, with})
	if len(got.Rows) != 1 || len(got.Rows[0].Cells) != len(got.Columns) {
		t.Fatalf("%+v", got)
	}
	var cells []string
	for _, c := range got.Rows[0].Cells {
		cells = append(cells, c.plain())
	}
	want := "donations/rev2; donations-rev2.trace 2 12 9 1.50 1 200 30,000 8 25 4"
	if text := strings.Join(cells, " "); text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

// TestFlamesStaySmall: however many functions were profiled, the page stays below two million bytes.
func TestFlamesStaySmall(t *testing.T) {
	experiments, results := fixture(t)
	r := results[0]
	for _, e := range experiments[:2] {
		for _, v := range e.Variants {
			folded := map[string]int64{}
			for i := range 2000 {
				stack := "main"
				for depth := range 20 {
					stack += fmt.Sprintf(";github.com/somebody/something/%s.function%d", v.ID, i%(depth*depth+1)*depth)
				}
				folded[stack] = int64(i%7 + 1)
			}
			r.Measurements = append(r.Measurements, lab.Measurement{Variant: v.ID, Setting: lab.Setting{Profiled: true},
				Profile: &lab.Profile{Source: "perf", Folded: folded}})
		}
	}
	var page bytes.Buffer
	if err := HTML(&page, experiments, []lab.Results{r}); err != nil {
		t.Fatal(err)
	}
	if page.Len() < flameBytesMax || page.Len() > 2e6 {
		t.Errorf("the page has %d bytes", page.Len())
	}
}

// TestBoard: the best figure is the largest or the smallest by the metric, and speed-ups compare like with like.
func TestBoard(t *testing.T) {
	experiments, results := fixture(t)
	for _, e := range experiments[:2] {
		b := makeBoard(e, results[0], lab.Warm)
		for _, r := range b.rows {
			for _, m := range b.all {
				if f, ok := figure(e, m); ok && m.Variant == r.variant.ID && e.Metric.Better(f.Value, r.figure.Value) {
					t.Errorf("%s has %v, and %v is shown", m.Variant, f.Value, r.figure.Value)
				}
			}
			if r.best != nil && (b.speedUp(r) > 1) != e.Metric.Better(r.figure.Value, b.rows[0].figure.Value) {
				t.Errorf("%s is %v times as fast as the first", r.variant.ID, b.speedUp(r))
			}
		}
	}
	b := makeBoard(experiments[2], results[0], lab.Any)
	for _, r := range b.rows {
		if s := b.speedUp(r); s != 0 {
			t.Errorf("%s has no input that could be compared, and is %v times as fast", r.label, s)
		}
	}
	if p := published(experiments[0], &experiments[0].Variants[4], lab.Warm, 0, states(experiments[0], results[0])); p.Value != 45441 {
		t.Errorf("the article's best figure of v07 is shown as %v", p.Value)
	}
}
