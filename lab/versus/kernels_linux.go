package versus

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/thresh-dev/thresh/lab"
)

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
