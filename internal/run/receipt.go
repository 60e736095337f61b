package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/receipt"
)

// refine adds the stages of a table to a receipt. If our own code was the wall, the longest stage becomes its name.
// took is the time of all workers in stages, and answering that for merging and writing the groups after reading.
//
// Probes repeat a few bytes, and so do not see what it costs to find one of many groups in memory. So a run that
// they leave unclear was held back by its stages if these took most of the workers' time.
func refine(r *receipt.Receipt, stages []receipt.Stage, took, answering time.Duration) {
	covered := took.Seconds() / max(r.Seconds*float64(workersOf(r)), 1e-9)
	share := answering.Seconds() / max(r.Seconds+answering.Seconds(), 1e-9)
	for i := range stages {
		stages[i].Share *= 1 - share
	}
	at, _ := slices.BinarySearchFunc(stages, share,
		func(s receipt.Stage, share float64) int { return cmp.Compare(share, s.Share) })
	r.Stages = slices.Insert(stages, at, receipt.Stage{Name: stageAnswering, Share: share})
	r.Seconds += answering.Seconds()
	r.BytesPerSecond = float64(r.Bytes) / max(r.Seconds, 1e-9)
	unclear := r.Wall == receipt.WallUnclear && covered >= stagesCover
	own := r.Wall == receipt.WallKernelFunction || unclear || at == 0
	if r.Wall == "" || r.Wall == receipt.WallTooSmall || !own {
		return
	}
	var shares []string
	for _, s := range r.Stages[:min(len(r.Stages), stagesNamed)] {
		shares = append(shares, fmt.Sprintf("%s %.0f %%", s.Name, 100*s.Share))
	}
	r.Wall = receipt.Wall(r.Stages[0].Name)
	reading := r.Verdict
	if unclear {
		reading = fmt.Sprintf("stages took %.0f %%", 100*min(covered, 1))
		r.Evidence = append(r.Evidence, "counters and probes alone say: "+r.Verdict)
	}
	r.Verdict = fmt.Sprintf("%s (of the time: %s); of reading, %s", r.Wall, strings.Join(shares, ", "), reading)
}

// workersOf returns how many workers scanned at once, at most.
func workersOf(r *receipt.Receipt) (most int) {
	for _, e := range r.Engines {
		most = max(most, e.Workers)
	}
	return most
}

// stagesCover is the share of the workers' time in stages from which on they were the wall.
const stagesCover = 0.5

// stageAnswering is the time for merging the groups of all workers and writing the answers.
const stageAnswering = "answering"

// stagesNamed is how many stages a verdict names.
const stagesNamed = 3

// addFile adds the receipt of another file, read for the same question at the same time.
func addFile(total *receipt.Receipt, file receipt.Receipt) {
	total.Kernel = cmp.Or(file.Kernel, total.Kernel)
	total.Bytes += file.Bytes
	total.Skipped += file.Skipped
	for _, e := range file.Engines {
		total.Use(e)
	}
}
