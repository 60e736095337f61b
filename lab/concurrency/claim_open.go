package concurrency

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/evidence"
)

func openClaim() lab.Claim {
	return evidence.Claim("S4", "Two threads are the best for opening files without a pool.",
		"34, 25, 31, 36 and 42 ms with 1, 2, 4, 8 and 16 threads", judgeOpen)
}

// judgeOpen asks whether two threads are faster than one, and whether no other number is faster than
// two.
func judgeOpen(f *evidence.Figures) (v lab.Verdict) {
	if f.Results.Machine.Processors < 2 {
		return lab.Verdict{Why: oneProcessor}
	}
	two, all := f.Of("open", lab.Setting{N: files, Workers: 2})
	more, one := lab.Yes, lab.Unclear
	var times, faster []string
	for _, threads := range []int{1, 2, 4, 8, 16} {
		figure, ok := f.Of("open", lab.Setting{N: files, Workers: threads})
		all = all && ok
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
	if !all {
		return v
	}
	v = lab.Verdict{
		Holds: lab.All(one, more),
		Ours:  strings.Join(times, ", ") + " ms with 1, 2, 4, 8 and 16 threads",
	}
	m := f.Results.Machine
	f.Note("%d processors, kernel %s, file system %s", m.Processors, m.Kernel, m.FileSystem)
	if one == lab.No {
		v.Holds = lab.No // that four threads gain nothing either makes two no better than one
	}
	switch {
	case v.Holds == lab.Unclear:
		v.Why = tooNoisy
		return v
	case more == lab.No && one == lab.No:
		v.Why = "Two threads gain nothing over one, and " + strings.Join(faster, ", ") + " are faster"
	case more == lab.No:
		v.Why = strings.Join(faster, ", ") + " threads are faster than two"
	case one == lab.No:
		v.Why = "Two threads gain nothing over one"
	default:
		v.Why = "Two threads are faster than one, and more of them are no faster"
	}
	v.Why += ". Whether threads wait for the folder's lock, for each other or for a processor was not measured."
	return v
}
