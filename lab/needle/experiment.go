package needle

import (
	"context"
	"runtime"
	"strconv"
	"time"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/gen"
)

// name is that of the experiment, and input that of its file.
const (
	name  = "needle"
	input = "file"
)

// Experiment returns the article's experiment, with the product's own row, peers, and the claims.
func Experiment() *lab.Experiment {
	e := &lab.Experiment{
		Name: name,
		Article: lab.Article{
			Title:  "Finding a needle in a 4 GB haystack: from 0.75 GB/s to 49 GB/s in Go",
			Author: "segflow", URL: "https://segflow.github.io/post/fast-file-search-go",
			Machine: "AMD Ryzen 5 9600X (Zen 5, 6 cores, 12 threads, AVX-512), 15 GiB DDR5, NVMe, ext4, " +
				"Linux 6.6 under WSL2, Go 1.26",
		},
		Method: lab.Method{
			Runs: 5, Trim: 1,
			Text: "5 timed runs of each, the slowest and the fastest dropped, mean of three",
		},
		Metric: lab.Metric{
			Unit: "MB/s", MoreIsBetter: true,
			Of: func(o lab.Outcome) float64 { return float64(o.Bytes) / o.Seconds / 1e6 },
		},
		Inputs: []lab.Input{{Name: input, Share: 1, Version: 1, Write: write}},
		Claims: claims(),
	}
	for _, v := range Variants() {
		e.Variants = append(e.Variants, v.lab())
	}
	e.Variants = append(append(e.Variants, product()), peers()...)
	return e
}

// write writes zeros, as blocks that are really there, and one nonzero word at the end.
func write(_ context.Context, path string, bytes int64) (answer string, err error) {
	bytes = max(bytes&^(wordBytes-1), wordBytes)
	return strconv.FormatInt(bytes-wordBytes, 10), gen.Haystack(path, bytes)
}

// lab returns the variant as the lab runs it.
func (v Variant) lab() lab.Variant {
	return lab.Variant{
		ID: name + "/" + v.ID, What: v.What, Published: v.Published, Input: input, Settings: v.settings(),
		Missing: func() string { return v.Unavailable },
		Run: func(_ context.Context, t lab.Task) (lab.Outcome, error) {
			workers := 1
			if v.Parallel {
				workers = workersOf(t)
			}
			begin := time.Now()
			at, err := v.Search(t.Path, workers)
			return lab.Outcome{
				Seconds: time.Since(begin).Seconds(), Bytes: t.Bytes, Answer: strconv.FormatInt(at, 10),
			}, err
		},
	}
}

// settings are the article's, and the file in single pages: on that the claims about mappings depend.
func (v Variant) settings() (all []lab.Setting) {
	all = []lab.Setting{{State: lab.Warm}, {State: lab.Pieces}}
	if v.Cold {
		all = append(all, lab.Setting{State: lab.Cold})
	}
	if v.Parallel {
		for _, n := range lab.Scale(runtime.NumCPU()) {
			all = append(all, lab.Setting{State: lab.Warm, Workers: n})
		}
	}
	return all
}

// workersOf returns the number of workers that a task asks for: the article's program uses as many as
// there are processors.
func workersOf(t lab.Task) int {
	if t.Setting.Workers > 0 {
		return t.Setting.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// published returns the article's figures for a variant, 0 for none, and those of its scaling curve.
func published(warm, cold float64, curve ...lab.Published) []lab.Published {
	all := []lab.Published{{Value: warm, Setting: lab.Setting{State: lab.Warm}}}
	if cold > 0 {
		all = append(all, lab.Published{Value: cold, Setting: lab.Setting{State: lab.Cold}})
	}
	return append(all, curve...)
}

// at returns a figure of a scaling curve.
func at(workers int, value float64) lab.Published {
	return lab.Published{Value: value, Setting: lab.Setting{State: lab.Warm, Workers: workers}}
}
