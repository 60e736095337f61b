package donations

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

// runs are made-up seconds of runs by variant. Of five runs the bounds are the first and the second.
type runs map[string][]float64

// exact has the same figure in every run.
func exact(seconds float64) []float64 { return []float64{seconds, seconds, seconds, seconds, seconds} }

// wide has one run that is faster than all others.
func wide(fastest, others float64) []float64 {
	return []float64{others, others, fastest, others, others}
}

// results returns measurements with these figures. Allocated bytes a line follow the numbers in allocated.
func results(r runs, allocated map[string]uint64) lab.Results {
	out := lab.Results{Machine: lab.Machine{Processors: 2}}
	for _, v := range Experiment().Variants {
		id := strings.TrimPrefix(v.ID, "donations/")
		seconds, ok := r[id]
		if !ok {
			continue
		}
		m := lab.Measurement{Variant: v.ID, Setting: v.Settings[0]}
		for _, s := range seconds {
			o := lab.Outcome{Seconds: s, Items: articleLines, Bytes: 1 << 30, UserSeconds: 1.4 * s, SystemSeconds: s / 2, MinorFaults: 17}
			if n, ok := allocated[id]; ok {
				o.Memory = &lab.Memory{TotalAllocBytes: n * articleLines, SysBytes: 3 << 20, Collections: 3}
			}
			m.Outcomes = append(m.Outcomes, o)
		}
		out.Measurements = append(out.Measurements, m)
	}
	return out
}

func claim(t *testing.T, id string) lab.Claim {
	for _, c := range Experiment().Claims {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no claim %s", id)
	return lab.Claim{}
}

// published are the article's figures.
func published() runs {
	r := runs{}
	for _, v := range Revisions() {
		if v.published > 0 {
			r[v.ID] = exact(v.published)
		}
	}
	return r
}

// articleMiB is what the article's table says of allocation, as bytes a line.
var articleMiB = map[string]uint64{"rev0": 925, "rev2": 941, "rev3": 998, "rev4": 990, "rev5": 989, "rev6": 927,
	"rev7": 641, "rev8": 645, "rev9": 379}

// TestClaims judges made-up measurements: the published ones with these changes.
func TestClaims(t *testing.T) {
	for _, c := range []struct {
		claim, what string
		change      runs
		want        lab.Holds
		why         string // a part of the reason
	}{
		{"D1", "published", nil, lab.Yes, "18245416 lines"},
		{"D1", "three times", runs{"rev1": exact(75)}, lab.InPart, "µs a line"},
		{"D1", "as fast", runs{"rev1": exact(25)}, lab.No, "cost no more than the work they hand over: rev1 takes 2.60 µs of processor time a line, 26 %"},
		{"D1", "wide", runs{"rev1": wide(25, 40)}, lab.Unclear, tooNoisy},
		{"D1", "not run", runs{"rev1": nil}, lab.Untested, "rev1 was not run"},

		{"D2", "published", nil, lab.Yes, "0.42 µs more for each line than 65,536 of them, and a channel instead of a mutex 0.02 µs"},
		{"D2", "little", runs{"rev2": exact(13)}, lab.InPart, "µs more"},
		{"D2", "a mutex is worth more", runs{"rev4": exact(2)}, lab.InPart, "choice between channel and mutex"},
		{"D2", "nothing", runs{"rev2": exact(10.7), "rev4": exact(2)}, lab.No, "choice between"},
		{"D2", "wide", runs{"rev2": wide(11, 20)}, lab.Unclear, tooNoisy},
		{"D2", "a channel is worth as much", runs{"rev2": wide(18, 18.9), "rev4": exact(18.1)}, lab.Unclear, ""},
		{"D2", "not run", runs{"rev3": nil}, lab.Untested, "rev3 was not run"},

		{"D3", "published", nil, lab.Yes, "rev5 allocates 989 bytes a line and has 3 MiB from the system, in 3 collections; rev6 allocates 927"},
		{"D3", "slower", runs{"rev6": exact(12)}, lab.Yes, ""},
		{"D3", "faster", runs{"rev6": exact(6)}, lab.No, "was not measured"},
		{"D3", "wide", runs{"rev6": wide(7, 10)}, lab.Unclear, tooNoisy},
		{"D3", "not run", runs{"rev5": nil}, lab.Untested, "rev5 was not run"},

		{"D4", "published", nil, lab.Yes, "µs"},
		{"D4", "less", runs{"rev6": exact(7.85), "rev7": exact(7.8)}, lab.InPart, "µs"},
		{"D4", "nothing", runs{"rev6": exact(6.6)}, lab.No, "takes as long: rev6 takes"},
		{"D4", "wide", runs{"rev6": wide(7, 10)}, lab.Unclear, tooNoisy},
		{"D4", "not run", runs{"rev7": nil}, lab.Untested, "rev7 was not run"},

		{"D5", "published", nil, lab.Yes,
			"from rev5 to rev6 the bytes change by -6 % and the time by +5 %, with pools alone; from rev0 to rev4 the bytes change by +7 %"},
		{"D5", "less", runs{"rev0": exact(50), "rev2": exact(40), "rev6": exact(30), "rev7": exact(9.9)}, lab.InPart, "an order shows no cause"},
		{"D5", "the other way", runs{"rev7": exact(28), "rev8": exact(29), "rev9": exact(30)}, lab.No, "an order shows no cause"},
		{"D5", "wide", runs{"rev9": wide(3, 70)}, lab.Unclear, "differs between"},
		{"D5", "not run", runs{"rev9": nil}, lab.Untested, "rev9 was not run"},

		{"D6", "published", nil, lab.Yes, "beside reading: rev9 takes 0.40 µs of processor time a line, 26 % of it in the kernel, on 1.9 processors"},
		{"D6", "few processors", runs{"rev9": exact(8)}, lab.No, "all 2 processors are busy in rev9"},
		{"D6", "faster than reading", runs{"rev9": exact(2)}, lab.No, "Reading alone"},
		{"D6", "wide", runs{"rev9": wide(3.88, 6)}, lab.Unclear, "too much"},
		{"D6", "not run", runs{"read-text": nil}, lab.Untested, "read-text was not run"},

		{"E1", "faster", runs{"sections": exact(2)}, lab.Yes, "two readers it takes less time: rev9 takes"},
		{"E1", "as fast", runs{"sections": exact(3.9)}, lab.No, "all 2 processors are busy in rev9"},
		{"E1", "wide", runs{"sections": wide(3, 4)}, lab.Unclear, "too much"},
		{"E1", "not run", nil, lab.Untested, "sections was not run"},

		{"E2", "faster", runs{"rev10": exact(2)}, lab.Yes, "string of each line: read-text takes"},
		{"E2", "slower", runs{"rev10": exact(4)}, lab.No, "as long as making a string"},
		{"E2", "wide", runs{"rev10": wide(2.5, 4)}, lab.Unclear, "too much"},
		{"E2", "not run", nil, lab.Untested, "rev10 was not run"},

		{"E3", "as fast", runs{"java-9": exact(3.9)}, lab.Yes, "no longer in Java: java-9 takes"},
		{"E3", "slower", runs{"java-9": exact(6)}, lab.No, "the collector was not measured"},
		{"E3", "wide", runs{"java-9": wide(4, 6)}, lab.Unclear, "too much"},
		{"E3", "not run", nil, lab.Untested, "java-9 was not run"},

		{"E5", "faster", runs{"rev10": exact(2)}, lab.Yes, "keeps the list, and takes no longer"},
		{"E5", "slower", runs{"rev10": exact(6)}, lab.No, "takes longer than rev9, which does not"},
		{"E5", "wide", runs{"rev10": wide(4, 6)}, lab.Unclear, "too much"},
		{"E5", "not run", nil, lab.Untested, "rev10 was not run"},

		{"E6", "faster", runs{"nogc": exact(3)}, lab.Yes, "what they allocate was not measured"},
		{"E6", "slower", runs{"nogc": exact(5)}, lab.No, "ithout collections it takes no less time: rev9"},
		{"E6", "wide", runs{"nogc": wide(3, 5)}, lab.Unclear, "too much"},
		{"E6", "not run", nil, lab.Untested, "nogc was not run"},

		{"E7", "fast", runs{"idiomatic": exact(5)}, lab.Yes, "revision 8"},
		{"E7", "slow", runs{"idiomatic": exact(12)}, lab.No, "far longer"},
		{"E7", "wide", runs{"idiomatic": wide(6.6, 9)}, lab.Unclear, "too much"},
		{"E7", "not run", nil, lab.Untested, "idiomatic was not run"},
	} {
		figures := published()
		maps.Copy(figures, c.change)
		v := claim(t, c.claim).Judge(Experiment(), results(figures, articleMiB))
		if v.Holds != c.want || !strings.Contains(v.Why, c.why) || v.Why == "" {
			t.Errorf("%s, %s: %s, ours %q, why %q; want %s", c.claim, c.what, v.Holds, v.Ours, v.Why, c.want)
		}
		if v.Holds != lab.Untested && (v.Ours == "" || len(v.Evidence) == 0) {
			t.Errorf("%s, %s: ours %q, evidence %q", c.claim, c.what, v.Ours, v.Evidence)
		}
	}
}

// TestWaiting has processors that are idle although the revision takes longer than reading.
func TestWaiting(t *testing.T) {
	figures := published()
	figures["rev9"] = exact(8)
	r := results(figures, articleMiB)
	r.Machine.Processors = 8
	const why = "only 1.9 of 8 processors are busy in rev9; what the others wait for was not measured"
	if v := claim(t, "D6").Judge(Experiment(), r); v.Holds != lab.No || !strings.Contains(v.Why, why) {
		t.Errorf("%+v", v)
	}
}

func TestAllocationUnknown(t *testing.T) {
	known := maps.Clone(articleMiB)
	delete(known, "rev4")
	v := claim(t, "D5").Judge(Experiment(), results(published(), known))
	if v.Holds != lab.Untested || !strings.Contains(v.Why, "rev4 has no figures") {
		t.Errorf("%+v", v)
	}
}

func TestWhyMissing(t *testing.T) {
	for _, c := range []struct {
		m    lab.Measurement
		want string
	}{
		{lab.Measurement{Skipped: "no javac"}, "java-9 was not run: no javac"},
		{lab.Measurement{Wrong: "lines: 1\n", Outcomes: []lab.Outcome{{}}}, "java-9 gave a wrong answer"},
	} {
		r := results(published(), articleMiB)
		c.m.Variant, c.m.Setting = "donations/java-9", warm(0)
		r.Measurements = append(r.Measurements, c.m)
		v := claim(t, "E3").Judge(Experiment(), r)
		if v.Holds != lab.Untested || !strings.Contains(v.Why, c.want) {
			t.Errorf("%+v, want %q", v, c.want)
		}
	}
}

func TestBugShown(t *testing.T) {
	const want = "lines: 100\nnames: A | B | C\nmonths: 201701=100\nfirst name by x: JOHN 50\n"
	answer := func(lines int) string {
		return fmt.Sprintf("lines: %d\nnames: A | B | C\nmonths: 201701=%[1]d\n", lines)
	}
	for _, c := range []struct {
		m    lab.Measurement
		want lab.Holds
		ours string
		why  string
	}{
		{lab.Measurement{Want: want, Wrong: answer(64), Outcomes: []lab.Outcome{{}}}, lab.Yes, "36 of 100 lines are missing", "not by the lines of the last chunk"},
		{lab.Measurement{Want: "lines: 65546\nb", Wrong: "lines: 65536\nb"}, lab.Yes, "10 of 65546 lines are missing",
			"10 are the lines after the last 65536 of a whole chunk"},
		{lab.Measurement{Want: want, Wrong: answer(100), Outcomes: []lab.Outcome{{}}}, lab.Yes, "another answer", "why is not known"},
		{lab.Measurement{Want: want, Wrong: "panic", Outcomes: []lab.Outcome{{}}}, lab.Yes, "another answer", "why is not known"},
		{lab.Measurement{Want: want, Outcomes: []lab.Outcome{{Answer: want}}}, lab.Unclear, "right answer", "multiple"},
		{lab.Measurement{Skipped: "interrupted"}, lab.Untested, "", "rev2-bug was not run: interrupted"},
	} {
		c.m.Variant, c.m.Setting = "donations/rev2-bug", warm(0)
		v := claim(t, "D7").Judge(Experiment(), lab.Results{Measurements: []lab.Measurement{{Variant: "donations/rev0"}, c.m}})
		if v.Holds != c.want || !strings.Contains(v.Ours, c.ours) || !strings.Contains(v.Why, c.why) {
			t.Errorf("%+v, want %s because %q", v, c.want, c.why)
		}
		if c.ours == "36 of 100 lines are missing" && len(v.Evidence) != 3 {
			t.Errorf("evidence %q", v.Evidence)
		}
	}
	if v := claim(t, "D7").Judge(Experiment(), lab.Results{}); v.Holds != lab.Untested {
		t.Errorf("%+v", v)
	}
}

func TestRankCorrelation(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{10, 20, 30}, 1},
		{[]float64{1, 2, 3}, []float64{30, 20, 10}, -1},
		{[]float64{1, 2, 3, 4}, []float64{2, 1, 4, 3}, 0.6},
	} {
		if got := rankCorrelation(c.a, c.b); got < c.want-1e-12 || got > c.want+1e-12 {
			t.Errorf("of %v and %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestExperiment checks what the other packages rely on.
func TestExperiment(t *testing.T) {
	e := Experiment()
	seen := map[string]bool{}
	for _, v := range e.Variants {
		if !strings.HasPrefix(v.ID, e.Name+"/") || seen[v.ID] || v.What == "" || v.Input != e.Inputs[0].Name ||
			len(v.Settings) != 1 || v.WantOf == nil || v.Run == nil || v.Missing == nil {
			t.Errorf("variant %+v", v)
		}
		seen[v.ID] = true
		for _, p := range v.Published {
			if p.Setting != v.Settings[0] || p.Value <= 0 {
				t.Errorf("%s was published with %+v", v.ID, p)
			}
		}
	}
	for _, id := range strings.Fields(`java-reader java-7 java-9 rev0 rev1 rev2 rev2-bug rev3 rev4 rev5 rev6 rev7 rev8
		rev9 rev9-p1 rev9-p2 rev9-p3 rev10 read-text read-bytes sections nogc idiomatic thresh duckdb polars mawk wc rg`) {
		if !seen["donations/"+id] {
			t.Errorf("no variant %s", id)
		}
	}
	if got := secondsOfArticle(lab.Outcome{Seconds: 2, Items: articleLines / 2}); got != 4 {
		t.Errorf("2 s for half of the lines are %v s", got)
	}
	if fewerProcessors(2, 2) != "" || fewerProcessors(3, 2) == "" {
		t.Error("fewerProcessors")
	}
	for _, published := range e.Claims {
		if published.Text == "" || published.Theirs == "" || published.Judge == nil {
			t.Errorf("claim %+v", published)
		}
	}
}

// An answer of thousands of lines does not fill the page.
func TestDifferencesAreFew(t *testing.T) {
	long := strings.Repeat("x", 2*lineBytesMax)
	got := differences("1\n2\n3\n4\nsame\n5\n"+long, "a\nb\n"+long+"\nd\nsame\ne\nf")
	want := []string{`it says "a", right is "1"`, `it says "b", right is "2"`,
		fmt.Sprintf("it says %q, right is %q", long[:lineBytesMax]+"…", "3"), "3 more lines of the answer differ"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
