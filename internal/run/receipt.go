package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/machine/wall"
	"github.com/thresh-dev/thresh/internal/table"
)

// Receipt tells what a run did, how fast, and what held it back.
type Receipt struct {
	Bytes   int64       `json:"bytes"`             // scanned
	Skipped int64       `json:"skipped,omitempty"` // in holes
	Seconds float64     `json:"seconds"`
	Rate    float64     `json:"bytes_per_second"` // scanned, not counting holes
	Engines []EngineUse `json:"engines"`
	// Kernel is the inner loop and its variant: the instruction set, or "plain" for portable code.
	Kernel string `json:"kernel"`
	// KernelOrigin is where a vector kernel comes from: "archsimd" in a build with GOEXPERIMENT=simd,
	// "assembly" in every other. Portable code has none.
	KernelOrigin string `json:"kernel_origin,omitempty"`
	// KernelRate is the inner loop's rate on bytes in the cache, one worker; 0 if it was not measured.
	KernelRate float64 `json:"kernel_bytes_per_second,omitempty"`
	// Wall is the name of what held the run back, and Verdict a sentence about it.
	Wall    string `json:"wall"`
	Verdict string `json:"verdict"`
	// Fraction is how close the run came to the wall, from 0 to 1; 0 if that is not known.
	Fraction float64  `json:"fraction,omitempty"`
	Evidence []string `json:"evidence,omitempty"`
	// Stages is how the time of a table's workers was spent.
	Stages []Stage  `json:"stages,omitempty"`
	Plan   []string `json:"plan,omitempty"` // why these engines
	// CachedBytes is how many bytes of the range are in the page cache after the run, and Next says what
	// that means for the next question.
	CachedBytes int64  `json:"cached_bytes,omitempty"`
	Next        string `json:"next,omitempty"`
}

// Stage is a part of the work on a table, and its share of the workers' time.
type Stage = table.Stage

// EngineUse is what one engine read in a run.
type EngineUse struct {
	Engine  string `json:"engine"`
	Workers int    `json:"workers"`
	Bytes   int64  `json:"bytes"`
}

// Line returns the receipt as one line for people.
func (r Receipt) Line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %.3f s, %.2f GB/s", bytesText(r.Bytes), r.Seconds, r.Rate/1e9)
	if r.Skipped > 0 {
		fmt.Fprintf(&b, " (and %s of holes skipped)", bytesText(r.Skipped))
	}
	var engines []string
	for _, e := range r.Engines {
		engines = append(engines, fmt.Sprintf("%s ×%d", e.Engine, e.Workers))
	}
	if len(engines) > 0 {
		fmt.Fprintf(&b, "; %s", strings.Join(engines, " + "))
	}
	fmt.Fprintf(&b, "; kernel %s; wall: %s", kernelText(r.Kernel, r.KernelOrigin), r.Verdict)
	if r.Next != "" {
		fmt.Fprintf(&b, "; %s", r.Next)
	}
	return b.String()
}

// kernelText names a kernel and its origin.
func kernelText(kernel, origin string) string {
	if origin == "" {
		return kernel
	}
	return kernel + " (" + origin + ")"
}

func bytesText(n int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.bytes {
			return fmt.Sprintf("%.2f %s", float64(n)/float64(unit.bytes), unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// refine adds the stages of a table to the receipt. If our own code was the wall, the longest stage becomes its name.
// took is the time of all workers in stages, and answering that for merging and writing the groups after reading.
//
// Probes repeat a few bytes, and so do not see what it costs to find one of many groups in memory. So a run that
// they leave unclear was held back by its stages if these took most of the workers' time.
func (r *Receipt) refine(stages []Stage, took, answering time.Duration) {
	covered := took.Seconds() / max(r.Seconds*float64(r.workers()), 1e-9)
	share := answering.Seconds() / max(r.Seconds+answering.Seconds(), 1e-9)
	for i := range stages {
		stages[i].Share *= 1 - share
	}
	at, _ := slices.BinarySearchFunc(stages, share,
		func(s Stage, share float64) int { return cmp.Compare(share, s.Share) })
	r.Stages = slices.Insert(stages, at, Stage{Name: stageAnswering, Share: share})
	r.Seconds += answering.Seconds()
	r.Rate = float64(r.Bytes) / max(r.Seconds, 1e-9)
	unclear := r.Wall == string(wall.Unclear) && covered >= stagesCover
	own := r.Wall == string(wall.KernelFunction) || unclear || at == 0
	if r.Wall == "" || r.Wall == string(wall.TooSmall) || !own {
		return
	}
	var shares []string
	for _, s := range r.Stages[:min(len(r.Stages), stagesNamed)] {
		shares = append(shares, fmt.Sprintf("%s %.0f %%", s.Name, 100*s.Share))
	}
	r.Wall = r.Stages[0].Name
	reading := r.Verdict
	if unclear {
		reading = fmt.Sprintf("stages took %.0f %%", 100*min(covered, 1))
		r.Evidence = append(r.Evidence, "counters and probes alone say: "+r.Verdict)
	}
	r.Verdict = fmt.Sprintf("%s (of the time: %s); of reading, %s", r.Wall, strings.Join(shares, ", "), reading)
}

// workers returns how many workers scanned at once, at most.
func (r *Receipt) workers() (most int) {
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

// add adds the receipt of another file, read for the same question.
func (r *Receipt) add(other Receipt) {
	r.Kernel, r.KernelOrigin = cmp.Or(other.Kernel, r.Kernel), cmp.Or(other.KernelOrigin, r.KernelOrigin)
	r.Bytes += other.Bytes
	r.Skipped += other.Skipped
	for _, e := range other.Engines {
		r.Engines = addUse(r.Engines, e)
	}
}

// addUse adds what an engine read. Trials and later phases of one engine are one entry.
func addUse(uses []EngineUse, next EngineUse) []EngineUse {
	for i := range uses {
		if uses[i].Engine == next.Engine {
			uses[i].Bytes += next.Bytes
			uses[i].Workers = max(uses[i].Workers, next.Workers)
			return uses
		}
	}
	return append(uses, next)
}
