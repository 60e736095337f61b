package report

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

// The results in testdata are made up. They have every kind of measurement: each state, several numbers of
// workers and processors, sizes, wrong answers, skipped ones, fewer runs, busy neighbours, runs too short to
// measure, memory, extra figures, profiles, and an unknown variant.
func fixture(t testing.TB) ([]*lab.Experiment, []lab.Results) {
	t.Helper()
	all := make([]lab.Results, 2)
	for i, name := range []string{"testdata/a.json", "testdata/b.json"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &all[i]); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return []*lab.Experiment{needle(), donations(), concurrency(), notMeasured()}, all
}

func warm(workers int) lab.Setting { return lab.Setting{State: lab.Warm, Workers: workers} }

func mbs(v float64, s lab.Setting) lab.Published { return lab.Published{Value: v, Setting: s} }

func needle() *lab.Experiment {
	cold := lab.Setting{State: lab.Cold}
	return &lab.Experiment{
		Name: "needle",
		Article: lab.Article{Title: "Finding a needle in a haystack", Author: "A. Author", URL: "https://example.com/needle",
			Machine: "a made-up desktop with 12 threads"},
		Method: lab.Method{Runs: 5, Trim: 1, Text: "Mean of five runs without the slowest and the fastest."},
		Metric: lab.Metric{Unit: "MB/s", MoreIsBetter: true, Of: func(o lab.Outcome) float64 { return float64(o.Bytes) / 1e6 / o.Seconds }},
		Variants: []lab.Variant{
			{ID: "needle/v01", What: "whole file into memory, byte loop", Input: "file", Published: []lab.Published{mbs(749, warm(0)), mbs(491, cold)}},
			{ID: "needle/v03", What: "1 MiB chunks, uint64 loop", Input: "file", Published: []lab.Published{mbs(13673, warm(0)), mbs(2030, cold)}},
			{ID: "needle/v04", What: "mmap, uint64 loop", Input: "file", Published: []lab.Published{mbs(13233, warm(0))}},
			{ID: "needle/v06", What: "mmap in parallel, static shards", Input: "file", Published: []lab.Published{mbs(28806, warm(0)), mbs(3304, cold)}},
			{ID: "needle/v07", What: "pread in parallel, own descriptor and buffer each", Input: "file",
				Published: []lab.Published{mbs(13000, warm(1)), mbs(24500, warm(2)), mbs(45441, warm(8)), mbs(4562, cold)}},
			{ID: "needle/v10", What: "MAP_POPULATE, parallel AVX2", Input: "file", Published: []lab.Published{mbs(18318, warm(0))}},
			{ID: "needle/v12", What: "AVX-512 through archsimd", Input: "file", Published: []lab.Published{mbs(15629, warm(0))}},
			{ID: "needle/v14", What: "O_DIRECT with io_uring", Input: "file"},
			{ID: "needle/thresh", What: "this project", Input: "file", Product: true},
			{ID: "needle/cmp", What: "cmp against /dev/zero", Input: "file", Peer: true},
		},
		Claims: []lab.Claim{
			{ID: "N1", Text: "a bigger buffer is the biggest single win", Theirs: "18 times", Judge: func(e *lab.Experiment, r lab.Results) lab.Verdict {
				a, _ := e.Figure(r.Of("needle/v03", warm(0)))
				b, _ := e.Figure(r.Of("needle/v01", warm(0)))
				return lab.Verdict{Holds: lab.Factor(lab.Over(a, b), 18), Ours: lab.Over(a, b).String(), Why: "One call for each MiB instead of one for the whole."}
			}},
			{ID: "N2", Text: "warm mmap is no faster than chunked reads", Theirs: "0.97 times", Judge: func(e *lab.Experiment, r lab.Results) lab.Verdict {
				a, _ := e.Figure(r.Of("needle/v04", warm(0)))
				b, _ := e.Figure(r.Of("needle/v03", warm(0)))
				return lab.Verdict{Holds: lab.NotMore(lab.Over(a, b)), Ours: lab.Over(a, b).String(),
					Why:      "The page cache has the file in folios of 64 KiB, and a fault maps all of one.",
					Evidence: []string{"16,384 faults a GiB", "Linux 6.18, ext4"}}
			}},
			fixed("N4", "parallel mmap stops at page faults", "0.63 times", lab.InPart, "The effect is smaller here."),
			fixed("N6", "SIMD gains little on one thread", "1.06 times", lab.Unclear, "The runs differ by 16 %, more than the effect."),
			fixed("N7", "archsimd equals assembly", "1.01 times", lab.Untested, "This processor has no AVX-512."),
		},
	}
}

func fixed(id, text, theirs string, h lab.Holds, why string) lab.Claim {
	return lab.Claim{ID: id, Text: text, Theirs: theirs, Judge: func(*lab.Experiment, lab.Results) lab.Verdict {
		return lab.Verdict{Holds: h, Ours: "1.10 times (0.95 to 1.24)", Why: why}
	}}
}

func donations() *lab.Experiment {
	variant := func(name string, seconds float64) lab.Variant {
		v := lab.Variant{ID: "donations/" + name, What: "made-up " + name, Input: "file"}
		if seconds > 0 {
			v.Published = []lab.Published{{Value: seconds, Setting: lab.Setting{State: lab.Warm}}}
		}
		return v
	}
	e := &lab.Experiment{
		Name:    "donations",
		Article: lab.Article{Title: "Counting donations", Author: "B. Author", URL: "https://example.com/donations"},
		Method:  lab.Method{Runs: 20},
		Metric:  lab.Metric{Unit: "s", Of: func(o lab.Outcome) float64 { return o.Seconds }},
		Variants: []lab.Variant{
			variant("rev0", 24.98), variant("rev1", 732), variant("rev9", 3.88), variant("rev9-procs", 0),
			variant("read-bytes", 2.39), variant("thresh", 0), variant("duckdb", 0),
		},
		Claims: []lab.Claim{
			fixed("D3", "a pool brings no time", "1.05 times", lab.No, "It brings 20 % here."),
			fixed("D6", "the wall is reading lines", "3.56 of 3.88 s", lab.Yes, "Reading alone takes 0.37 of 0.61 s."),
		},
	}
	for i := range e.Variants {
		v := &e.Variants[i]
		v.Product, v.Peer = v.ID == "donations/thresh", v.ID == "donations/duckdb"
		if v.ID == "donations/rev9-procs" {
			for p, s := range []float64{12.0, 6.41, 4.57} {
				v.Published = append(v.Published, lab.Published{Value: s, Setting: lab.Setting{State: lab.Warm, Procs: p + 1}})
			}
		}
	}
	return e
}

func concurrency() *lab.Experiment {
	return &lab.Experiment{
		Name:    "go",
		Article: lab.Article{Title: "Go and many processors", Author: "C. Author"},
		Method:  lab.Method{Runs: 10, Trim: 2},
		Metric:  lab.Metric{Unit: "ms", Of: func(o lab.Outcome) float64 { return 1e3 * o.Seconds / min(1, 1e9*o.Seconds) }},
		Variants: []lab.Variant{
			{ID: "go/sum", What: "sum of an array", Published: []lab.Published{{Value: 40, Text: "with 128 processors", Setting: lab.Setting{N: 10_000_000}}}},
			{ID: "go/empty", What: "nothing at all"},
			{ID: "go/bank", What: "a mutex an account: a deadlock, shown and detected"},
		},
		Claims: []lab.Claim{fixed("S2", "more goroutines than work is worse than one", "5 times", lab.Yes, "Starting them takes longer than the sum.")},
	}
}

func notMeasured() *lab.Experiment {
	return &lab.Experiment{
		Name:     "tens",
		Metric:   lab.Metric{Unit: "GB/s", MoreIsBetter: true, Of: func(o lab.Outcome) float64 { return float64(o.Bytes) / 1e9 / o.Seconds }},
		Variants: []lab.Variant{{ID: "tens/loop-cold"}},
		Claims: []lab.Claim{{ID: "T1", Judge: func(*lab.Experiment, lab.Results) lab.Verdict {
			panic(fmt.Sprintf("a claim of an experiment that was not run: %s", "T1"))
		}}},
	}
}
