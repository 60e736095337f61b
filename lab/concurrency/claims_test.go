package concurrency

import (
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

// times returns the measurement of a variant with runs of these milliseconds, of one number three alike: a
// single run tells nothing of its spread.
func times(id string, s lab.Setting, milliseconds ...float64) lab.Measurement {
	m := lab.Measurement{Variant: id, Setting: s}
	if len(milliseconds) == 1 {
		milliseconds = slices.Repeat(milliseconds, 3)
	}
	for _, ms := range milliseconds {
		m.Outcomes = append(m.Outcomes, lab.Outcome{Seconds: ms / 1e3, Items: 1})
	}
	return m
}

// judged is a made-up session, and what a claim must say about it.
type judged struct {
	name         string
	processors   int
	measurements []lab.Measurement
	want         lab.Holds
	why          string
}

func check(t *testing.T, id string, tests []judged) {
	t.Helper()
	e := Experiment()
	for _, claim := range e.Claims {
		if claim.ID != id {
			continue
		}
		for _, test := range tests {
			machine := lab.Machine{Processors: test.processors, Limits: map[string]float64{"memory_all": 50e9}}
			v := claim.Judge(e, lab.Results{Machine: machine, Measurements: test.measurements})
			if v.Holds != test.want || !strings.Contains(v.Why, test.why) || v.Holds != lab.Untested && v.Ours == "" {
				t.Errorf("%s, %s: %+v, want %s because %q", id, test.name, v, test.want, test.why)
			}
			if (v.Holds == lab.Untested) != (len(v.Evidence) == 0) {
				t.Errorf("%s, %s: evidence %q", id, test.name, v.Evidence)
			}
		}
		return
	}
	t.Fatalf("no claim %s", id)
}

func TestGoroutinesClaim(t *testing.T) {
	sums := func(one, few, many float64) []lab.Measurement {
		return []lab.Measurement{
			times("go/sum", lab.Setting{N: fewNumbers}, one),
			times("go/sum-goroutines", lab.Setting{N: fewNumbers}, few),
			times("go/sum-goroutines", lab.Setting{N: fewNumbers, Workers: publishedProcessors}, many),
		}
	}
	noisy := sums(0.05, 0.05, 0.05)
	noisy[1] = times("go/sum-goroutines", lab.Setting{N: fewNumbers}, 0.03, 0.06, 0.09)
	check(t, "S2", []judged{
		{"the post's own", 128, sums(0.0505, 0.2588, 0.2588), lab.Yes, "50.5 µs, and each of 128 goroutines adds at least 1.63 µs"},
		{"a little", 16, sums(0.05, 0.07, 0.07), lab.InPart, "whole sum"},
		{"few processors", 2, sums(0.05, 0.03, 0.15), lab.InPart, "processors are few"},
		{"cheap goroutines", 2, sums(0.05, 0.03, 0.03), lab.No, "cost less than they save"},
		{"no difference", 2, sums(0.05, 0.05, 0.05), lab.No, "cost less than they save"},
		{"odd", 2, sums(0.05, 0.5, 0.03), lab.InPart, "post's number"},
		{"noise", 2, noisy, lab.Unclear, "differ"},
		{"nothing", 2, nil, lab.Untested, "go/sum was not run"},
		{"not all", 2, sums(1, 1, 1)[:2], lab.Untested, "go/sum-goroutines was not run"},
	})
}

func TestScalingClaim(t *testing.T) {
	session := func(sum, sumAll, sine, sineAll float64) []lab.Measurement {
		return []lab.Measurement{
			times("go/sum", lab.Setting{N: manyNumbers}, sum), times("go/sum-goroutines", lab.Setting{N: manyNumbers}, sumAll),
			times("go/sine", lab.Setting{N: sines, Workers: 1}, sine), times("go/sine", lab.Setting{N: sines}, sineAll),
		}
	}
	noisy := session(5, 2, 14, 7)
	noisy[3] = times("go/sine", lab.Setting{N: sines}, 7, 12, 17)
	check(t, "S3", []judged{
		{"the post's own", 128, session(5.03, 1.414, 13.7, 1.189), lab.Yes, "memory delivers 50.0 GB/s to all processors. The sines scale"},
		{"two processors", 2, session(5, 4.5, 14, 7), lab.Yes, "only 17.8 of the 50.0 GB/s that memory delivers: why was not measured"},
		{"memory for two", 2, session(5, 2.5, 14, 7), lab.InPart, "as well as the sines: it reads 32.0 GB/s"},
		{"shared cores", 2, session(5, 5, 14, 11), lab.InPart, "less than a processor each: other programs used 0 %"},
		{"nothing scales", 2, session(5, 5, 14, 14), lab.No, "do not gain"},
		{"noise", 2, noisy, lab.Unclear, "between runs"},
		{"one processor", 1, session(5, 5, 14, 14), lab.Untested, "one processor"},
		{"nothing", 2, nil, lab.Untested, "was not run"},
	})
}

func TestOpenClaim(t *testing.T) {
	session := func(milliseconds ...float64) (all []lab.Measurement) {
		for i, ms := range milliseconds {
			all = append(all, times("go/open", lab.Setting{N: files, Workers: 1 << i}, ms))
		}
		return all
	}
	noisy := session(34, 25, 31, 36, 42)
	noisy[1].Outcomes = append(noisy[1].Outcomes, lab.Outcome{Seconds: 0.060, Items: 1})
	check(t, "S4", []judged{
		{"the post's own", 64, session(34, 25, 31, 36, 42), lab.Yes, "more of them are no faster. Whether threads wait"},
		{"the post's laptop", 8, session(100, 75, 90, 240, 250), lab.Yes, "more of them are no faster. Whether threads wait"},
		{"as good as more", 2, session(34, 20, 20, 20, 20), lab.Yes, "was not measured"},
		{"more are better", 8, session(34, 20, 12, 8, 30), lab.InPart, "4, 8 threads"},
		{"no gain", 2, session(20, 20, 20, 20, 20), lab.No, "gain nothing over one"},
		{"one is the best", 2, session(20, 30, 40, 50, 60), lab.No, "gain nothing over one"},
		{"only more are better", 8, session(20, 20, 10, 8, 20), lab.No, "4, 8 are faster"},
		{"noise", 8, noisy, lab.Unclear, "differ"},
		{"one processor", 1, session(34, 25, 31, 36, 42), lab.Untested, "one processor"},
		{"not all", 2, session(34, 25, 31, 36), lab.Untested, "was not run"},
	})
}

func TestRaceClaim(t *testing.T) {
	answered := func(id string, answers ...string) lab.Measurement {
		m := lab.Measurement{Variant: id, Setting: lab.Setting{N: raceSteps}}
		for _, a := range answers {
			m.Outcomes = append(m.Outcomes, lab.Outcome{Seconds: 1, Items: 1, Answer: a})
		}
		return m
	}
	right := answered("go/race-atomic", "1000", "1000")
	wrong := answered("go/race-atomic", "1000", "999")
	wrong.Want, wrong.Wrong = "1000", "999"
	skipped := lab.Measurement{Variant: "go/race", Setting: lab.Setting{N: raceSteps}, Skipped: "made up"}
	check(t, "S5", []judged{
		{"the post's own", 128, []lab.Measurement{answered("go/race", "15810"), right}, lab.Yes, "differ from what was put in"},
		{"once", 2, []lab.Measurement{answered("go/race", "1000", "1000", "1001"), right}, lab.Yes, "differ from what was put in"},
		{"never", 2, []lab.Measurement{answered("go/race", "1000", "1000"), right}, lab.No, "Nothing was lost in these runs, which"},
		{"one processor", 1, []lab.Measurement{answered("go/race", "1000"), right}, lab.No, "on one processor"},
		{"atomics that lose", 2, []lab.Measurement{answered("go/race", "15810"), wrong}, lab.No, "mistake"},
		{"race detector", 2, []lab.Measurement{skipped, right}, lab.Untested, "made up"},
		{"no atomics", 2, []lab.Measurement{answered("go/race", "15810")}, lab.Untested, "go/race-atomic was not run"},
	})
}
