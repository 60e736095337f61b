package needle

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/test/gen"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/peer"
	"github.com/thresh-dev/thresh/options"
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
				workers = t.Workers()
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

// product is this project's own way: the first byte that is not zero, by the public library with its
// usual options. The time is that of opening the file and the receipt's own, from the first to the last
// byte. Measuring what the wall is comes on top: it is not timed, but is among the processor time.
func product() lab.Variant {
	states := []lab.Setting{{State: lab.Warm}, {State: lab.Pieces}, {State: lab.Cold}}
	for _, n := range lab.Scale(runtime.NumCPU()) {
		states = append(states, lab.Setting{State: lab.Warm, Workers: n})
	}
	return lab.Variant{
		ID: name + "/thresh", What: "thresh find --nonzero", Product: true, Input: input, Settings: states,
		Run: runProduct,
	}
}

func runProduct(ctx context.Context, t lab.Task) (o lab.Outcome, err error) {
	found := int64(-1)
	begin := time.Now()
	in, err := thresh.Open(t.Path)
	if err != nil {
		return o, err
	}
	defer in.Close() // nothing was written
	opened := time.Since(begin)
	options := options.Find{Run: options.Run{Workers: t.Setting.Workers, Receipt: true}, Limit: 1}
	report, err := thresh.Find(ctx, in, thresh.NonZero(), options, func(hits []answer.Hit) error {
		found = hits[0].Off &^ (wordBytes - 1)
		return nil
	})
	o.Seconds, o.Bytes = opened.Seconds()+report.Receipt.Seconds, t.Bytes
	if err != nil {
		return o, err
	}
	if !report.Complete {
		return o, fmt.Errorf("search %s: %d ranges could not be read", t.Path, len(report.Unread))
	}
	o.Answer, o.Wall = strconv.FormatInt(found, 10), string(report.Receipt.Wall)
	return o, nil
}

// peers are programs that people use for this. Their time is that of the whole process.
func peers() []lab.Variant {
	return []lab.Variant{
		searcher("cmp", "cmp with zeros that never end", peer.Cmp, offsetOfCmp),
		searcher("grep", "grep for the first byte that is not zero", grep, offsetOfGrep),
		fioDirect(),
	}
}

// searcher returns a program as a variant. Its exit status may be 1: cmp says by it that files differ, grep
// that nothing was found.
func searcher(program, what string, command func(path string) []string,
	offset func(peer.Output) (int64, error)) lab.Variant {
	return lab.Variant{
		ID: name + "/" + program, What: what, Peer: true, Input: input,
		Settings: []lab.Setting{{State: lab.Warm}, {State: lab.Pieces}, {State: lab.Cold}},
		Missing:  func() string { return peer.NotInstalled(program) },
		Run: func(ctx context.Context, t lab.Task) (o lab.Outcome, err error) {
			out, err := peer.Run(ctx, 1, command(t.Path)...)
			if err != nil {
				return o, err
			}
			at, err := offset(out)
			if at >= 0 {
				at &^= wordBytes - 1
			}
			return lab.Outcome{Seconds: out.Seconds, Bytes: t.Bytes, Answer: strconv.FormatInt(at, 10)}, err
		},
	}
}

// offsetOfCmp returns where a file differs from zeros, -1 if it ends before.
func offsetOfCmp(out peer.Output) (int64, error) {
	if out.Stdout == "" && strings.HasPrefix(out.Stderr, "cmp: EOF on") {
		return -1, nil
	}
	text, err := peer.ParseCmp(out.Stdout)
	if err != nil {
		return -1, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// grep returns the command. The file is one line for grep, which it reads into memory. With -z, where each
// zero ends a line, it is much faster, but GNU grep 3.8 then names a wrong offset: it does not count blocks
// of zeros. A set of bytes is faster than an expression of Perl.
func grep(path string) []string { return []string{"grep", "-aobU", "-m1", "[\x01-\xff]", path} }

// offsetOfGrep returns the offset of the first match, which is printed as "offset:match"; -1 if there is none.
func offsetOfGrep(out peer.Output) (int64, error) {
	if out.Status == 1 && out.Stdout == "" && out.Stderr == "" {
		return -1, nil
	}
	text, _, _ := strings.Cut(out.Stdout, ":")
	at, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return -1, fmt.Errorf("output of grep: %w: %s", err, peer.FirstLine(out.Stderr))
	}
	return at, nil
}

// fioDirect only reads, past the page cache: it shows what the storage delivers at best. Nothing is
// searched, so its answer is not compared. The rate is the one that fio reports, without its start.
func fioDirect() lab.Variant {
	return lab.Variant{
		ID: name + "/fio-direct", What: "fio: direct reads, 32 of 1 MiB in flight, nothing searched", Peer: true,
		Work: "only read", Input: input, Settings: []lab.Setting{{State: lab.Cold}},
		WantOf:  func(string) string { return "" },
		Missing: func() string { return peer.NotInstalled("fio") },
		Run: func(ctx context.Context, t lab.Task) (o lab.Outcome, err error) {
			out, err := peer.Run(ctx, 0, peer.Fio(t.Path, t.Bytes, 32, "1m")...)
			if err != nil {
				return o, err
			}
			bytes, rate, err := peer.ParseFio(out.Stdout)
			if err != nil {
				return o, err
			}
			return lab.Outcome{Bytes: bytes, Seconds: float64(bytes) / rate}, nil
		},
	}
}
