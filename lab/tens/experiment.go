package tens

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// name is that of the experiment, and input that of its file.
const (
	name  = "tens"
	input = "file"
)

// Experiment returns the article's experiment: its programs in Go and in C, what readers asked for, the
// product's own row, and the claims.
func Experiment() *lab.Experiment {
	e := &lab.Experiment{
		Name: name,
		Article: lab.Article{
			Title: "Memory is slow, disk is fast, part 2", Author: "Jared Hulbert", URL: "https://bitflux.ai",
			Machine: "AMD EPYC 7551P (Zen 1, 32 cores), 96 GB DDR4-2133, two Samsung PM983a in a stripe " +
				"(3.1 GB/s each), ext4 without a journal; 50 GB of data",
		},
		Method: lab.Method{
			Runs: 5, Trim: 1,
			Text: "one run each in the article; here 5, the slowest and the fastest dropped, mean of three",
		},
		Metric: lab.Metric{
			Unit: "GiB/s", MoreIsBetter: true, // the article divides by 2^30 and writes GB/s
			Of: func(o lab.Outcome) float64 { return float64(o.Bytes) / o.Seconds / (1 << 30) },
		},
		Inputs: []lab.Input{{Name: input, Share: 1, Version: 1, Write: write}},
		Claims: claims(),
	}
	for _, v := range Variants() {
		if v.ID == "loop" { // one program, two rows
			e.Variants = append(e.Variants, v.row("loop-cold", lab.Cold), v.row("loop-warm", lab.Warm))
			continue
		}
		e.Variants = append(e.Variants, v.lab())
		if v.ID == "uring" {
			e.Variants = append(e.Variants, inMemory()...)
		}
	}
	e.Variants = append(append(e.Variants, product()), programs()...)
	return e
}

// row returns the variant as the lab runs it in one state of the file, with the figures for that.
func (v Variant) row(id string, state lab.State) lab.Variant {
	row := v.lab()
	row.ID, row.Published, row.Settings = name+"/"+id, nil, []lab.Setting{{State: state}}
	if state == lab.Warm {
		row.Settings = append(row.Settings, lab.Setting{State: lab.Pieces})
	}
	for _, p := range v.Published {
		if p.Setting.State == state {
			row.Published = append(row.Published, p)
		}
	}
	return row
}

// lab returns the variant as the lab runs it.
func (v Variant) lab() lab.Variant {
	return lab.Variant{
		ID: name + "/" + v.ID, What: v.What, Published: v.Published, Input: input, Settings: v.Settings,
		Missing: func() string { return v.Unavailable },
		Run: func(_ context.Context, t lab.Task) (lab.Outcome, error) {
			workers := 1
			if v.Parallel {
				workers = t.Workers()
			}
			begin := time.Now()
			n, err := v.Count(t.Path, workers)
			return lab.Outcome{
				Seconds: time.Since(begin).Seconds(), Bytes: t.Bytes, Answer: strconv.FormatInt(n, 10),
			}, err
		},
	}
}

// oneWarm are the settings of programs with one thread on a cached file.
func oneWarm() []lab.Setting {
	return []lab.Setting{{State: lab.Warm, Workers: 1}, {State: lab.Pieces, Workers: 1}}
}

// curve are the settings of parallel programs: cached and not, and cached with each number of workers.
func curve() []lab.Setting {
	all := []lab.Setting{{State: lab.Warm}, {State: lab.Pieces}, {State: lab.Cold}}
	for _, n := range lab.Scale(runtime.NumCPU()) {
		all = append(all, lab.Setting{State: lab.Warm, Workers: n})
	}
	return all
}

// product is this project's own way: the public library's Count with its usual options. The time is
// that of opening the file and the receipt's own, from the first to the last byte. Measuring what the
// wall is comes on top: it is not timed, but is among the processor time.
func product() lab.Variant {
	return lab.Variant{
		ID: name + "/thresh", What: "thresh count --type i32 --eq 10", Product: true, Input: input,
		Settings: append(curve(), lab.Setting{State: lab.Cold, Workers: 1}),
		Run:      runProduct,
	}
}

func runProduct(ctx context.Context, t lab.Task) (o lab.Outcome, err error) {
	query, err := thresh.Values(question.Values{
		Type: "i32", Conditions: []question.Condition{{Op: question.Equal, Value: strconv.Itoa(ten)}},
	})
	if err != nil {
		return o, err
	}
	begin := time.Now()
	in, err := thresh.Open(t.Path)
	if err != nil {
		return o, err
	}
	defer in.Close() // nothing was written
	opened := time.Since(begin)
	report, err := thresh.Count(ctx, in, query, options.Scan{Run: options.Run{Workers: t.Setting.Workers, Receipt: true}})
	o.Seconds, o.Bytes = opened.Seconds()+report.Receipt.Seconds, t.Bytes
	if err != nil {
		return o, err
	}
	if !report.Complete {
		return o, fmt.Errorf("count in %s: %d ranges could not be read", t.Path, len(report.Unread))
	}
	o.Answer, o.Wall = strconv.FormatInt(report.Hits, 10), string(report.Receipt.Wall)
	return o, nil
}
