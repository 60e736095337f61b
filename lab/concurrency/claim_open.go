package concurrency

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/lab"
)

func openClaim() lab.Claim {
	return lab.Claim{
		ID: "S4", Text: "Two threads are the best for opening files without a pool.",
		Theirs: "34, 25, 31, 36 and 42 ms with 1, 2, 4, 8 and 16 threads",
		Judge:  judgeOpen,
	}
}

// judgeOpen asks whether two threads are faster than one, and whether no other number is faster than
// two.
func judgeOpen(e *lab.Experiment, r lab.Results) lab.Verdict {
	if r.Machine.Processors < 2 {
		return untested("This machine has one processor.")
	}
	f := figures{e: e, r: r}
	two := f.of("go/open", lab.Setting{N: files, Workers: 2})
	more, one := lab.Yes, lab.Unclear
	var times, faster []string
	for _, threads := range []int{1, 2, 4, 8, 16} {
		figure := f.of("go/open", lab.Setting{N: files, Workers: threads})
		times = append(times, fmt.Sprintf("%.1f", figure.Value))
		switch gain := lab.Over(two, figure); {
		case threads == 1:
			one = lab.Factor(lab.Over(figure, two), 34./25)
		case gain.Side(lab.Equal) > 0:
			more, faster = lab.No, append(faster, fmt.Sprint(threads))
		case gain.Side(lab.Equal) == 0 && more == lab.Yes:
			more = lab.Unclear
		}
	}
	if f.absent != "" {
		return untested(f.absent)
	}
	v := lab.Verdict{
		Holds: lab.All(one, more),
		Ours:  strings.Join(times, ", ") + " ms with 1, 2, 4, 8 and 16 threads",
		Evidence: []string{fmt.Sprintf("%d processors, kernel %s, file system %s",
			r.Machine.Processors, r.Machine.Kernel, r.Machine.FileSystem)},
	}
	if one == lab.No {
		v.Holds = lab.No // that four threads gain nothing either makes two no better than one
	}
	switch {
	case v.Holds == lab.Unclear:
		v.Why = tooNoisy
	case more == lab.No && one == lab.No:
		v.Why = "Two threads gain nothing over one, and " + strings.Join(faster, ", ") + " are faster."
	case more == lab.No:
		v.Why = strings.Join(faster, ", ") + " threads are faster than two: what they share costs less than they gain."
	case one == lab.No:
		v.Why = "Two threads gain nothing over one: what they share, the folder's entries and its lock, costs what they gain."
	default:
		v.Why = "Two threads halve a part of the work; more of them wait for each other, or for a processor."
	}
	return v
}
