// Package versus compares thresh with other programs, and with the limits of the machine: by ratios of samples
// that take turns in one run, whose answers are checked.
//
// Its tasks that are no programs of their own run as children of the program that this package is in.
package versus

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/peer"
)

// The experiments' own rounds, and the size of the largest file.
const (
	casesRounds     = 7
	casesBytes      = 4 << 30
	situationRounds = 5
	situationBytes  = 500_000_000
)

// Experiments returns the comparisons with other programs, the situations, the kernels, and what more processors bring.
func Experiments() []*lab.Experiment {
	return []*lab.Experiment{peers(), situations(), kernels(), scaling()}
}

// aside returns an experiment without an article.
func aside(name, title string, bytes int64, method lab.Method, unit string) *lab.Experiment {
	return &lab.Experiment{
		Name: name, Aside: true, Bytes: bytes, Method: method, Metric: lab.Metric{Unit: unit},
		Article: lab.Article{Title: title, Author: "this project", Machine: "the machine that it runs on",
			URL: "https://github.com/thresh-dev/thresh/blob/main/docs/peers/README.md"},
	}
}

// peers is a comparison for each case.
func peers() *lab.Experiment {
	e := aside("peers", "thresh beside other programs", casesBytes, lab.Method{Runs: casesRounds,
		Text: "The sides take turns; after a round of warming up each round gives a ratio."}, "ratio")
	for _, c := range cases {
		e.Variants = append(e.Variants, lab.Variant{
			ID: "peers/" + c.name, What: c.what, Product: true,
			Missing: func() string {
				if name := peer.Missing(c.tools...); name != "" {
					return name + " is not installed; make bench-setup installs it"
				}
				return ""
			},
			Compare: func(ctx context.Context, given lab.Comparison) (lab.Compared, error) {
				return compareCase(ctx, given, c)
			},
		})
	}
	return e
}

// situations is a comparison for each situation.
func situations() *lab.Experiment {
	e := aside("situations", "is the plan right?", situationBytes, lab.Method{Runs: situationRounds,
		Text: "Sequences of questions: thresh as it is beside each of its engines forced."}, "s")
	for i := range situationList {
		s := &situationList[i]
		e.Variants = append(e.Variants, lab.Variant{
			ID: "situations/" + s.name, What: s.what(), Product: true,
			Compare: func(ctx context.Context, given lab.Comparison) (lab.Compared, error) {
				if s.full && given.Bytes < fullFrom {
					return lab.Compared{Missing: []string{"files of 8 GB are measured with --size 1GB or more"}}, nil
				}
				return compareSituation(ctx, given, s)
			},
		})
	}
	return e
}

// fullFrom is the size from which on situations have files of 8 GB.
const fullFrom = 1_000_000_000

func compareSituation(ctx context.Context, c lab.Comparison, s *situation) (lab.Compared, error) {
	var err error
	if c.Thresh, err = filepath.Abs(c.Thresh); err != nil {
		return lab.Compared{}, err
	}
	if err := os.MkdirAll(c.Folder, 0o755); err != nil {
		return lab.Compared{}, err
	}
	m := &matrix{Comparison: c, memory: "/dev/shm", answers: map[string]string{}}
	row, err := m.measure(ctx, s)
	return lab.Compared{Situation: row}, err
}

// kernelRounds is how often the program measures its kernels, which takes it two seconds.
const kernelRounds = 5

// kernels compares the variant that the program chooses of each kernel with its others.
func kernels() *lab.Experiment {
	e := aside("kernels", "is the fastest variant chosen?", 0, lab.Method{Runs: kernelRounds,
		Text: "Each variant in the second-level cache, by thresh limits --kernels."}, "ratio")
	e.Variants = []lab.Variant{{
		ID: "kernels/chosen", What: "each kernel's chosen variant beside its others", Product: true,
		Compare: func(ctx context.Context, c lab.Comparison) (lab.Compared, error) {
			ask := contender{name: "thresh", args: []string{c.Thresh, "limits", "--kernels", "--json"}}
			return compareKernels(ctx, c.Rounds, ask)
		},
	}}
	return e
}

// kernelSpeeds is a kernel in the output of thresh limits --kernels.
type kernelSpeeds struct {
	Kernel string             `json:"kernel"`
	Chosen string             `json:"chosen"`
	Speeds map[string]float64 `json:"gb_per_s"` // by variant
}

// compareKernels asks for the speeds in each round. A variant that is clearly faster than the chosen one misses the
// target; plain code is there to compare with.
func compareKernels(ctx context.Context, rounds int, ask contender) (compared lab.Compared, err error) {
	rates := map[[2]string][]float64{} // by kernel and variant, in bytes a second
	var list []kernelSpeeds
	ask.answer = func(stdout string) (string, error) {
		err := json.Unmarshal([]byte(stdout), &list)
		return "", err
	}
	for range rounds {
		list = nil
		if _, err := ask.exec(ctx); err != nil {
			return compared, err
		}
		for _, k := range list {
			for isa, speed := range k.Speeds {
				rates[[2]string{k.Kernel, isa}] = append(rates[[2]string{k.Kernel, isa}], 1e9*speed)
			}
		}
	}
	for _, k := range list {
		for _, isa := range slices.Sorted(maps.Keys(k.Speeds)) {
			if isa == k.Chosen {
				continue
			}
			other := contender{name: isa, target: lab.AtLeast(0.95), note: "chosen: " + k.Chosen}
			if isa == "plain" {
				other.target = lab.Target{}
			}
			ours, theirs := rates[[2]string{k.Kernel, k.Chosen}], rates[[2]string{k.Kernel, isa}]
			if len(ours) != len(theirs) {
				return compared, fmt.Errorf("%s: %d rounds of %s, %d of %s", k.Kernel, len(ours), k.Chosen, len(theirs), isa)
			}
			row := beside(lab.TimesItsRate, other, ours, theirs)
			row.Case = k.Kernel
			compared.Rows = append(compared.Rows, row)
		}
	}
	return compared, nil
}
