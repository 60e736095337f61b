package measure

import (
	"math"
	"time"

	"github.com/thresh-dev/thresh/lab"
)

// clock estimates how long the plans of a session still take, without the making of inputs.
type clock struct{ plans []*plan }

// What a run takes that nothing is known of: starting its process and preparing its input, and some time for
// the input's bytes. Variants differ by a hundred times; this only says how the first minute begins.
const (
	startSeconds   = 0.3
	bytesPerSecond = 500e6
)

// left returns the part of the session that is done, and an estimate of the time that the rest takes.
func (c *clock) left() (done float64, left time.Duration) {
	var spent, ahead float64
	for _, p := range c.plans {
		mine := p.spent()
		spent += mine
		ahead += p.ahead(p.budget.Seconds() - mine)
	}
	if spent+ahead <= 0 {
		return 1, 0
	}
	return spent / (spent + ahead), time.Duration(ahead * float64(time.Second))
}

// spent is the time that the runs of a plan have taken, in seconds.
func (p *plan) spent() (seconds float64) {
	for _, w := range p.work {
		for _, e := range w.entries {
			seconds += e.Seconds
		}
	}
	return seconds
}

// ahead is the time that the other runs of a plan take within the rest of its budget, in seconds. Each job
// gets its first run in any case. A job that has not run yet counts as the average of those that have.
func (p *plan) ahead(rest float64) float64 {
	var known, jobs float64
	for _, w := range p.work {
		if len(w.entries) > 0 {
			known, jobs = known+w.entries[0].Seconds, jobs+1
		}
	}
	var first, all float64
	for _, w := range p.work {
		if w.ended {
			continue
		}
		seconds := startSeconds + float64(w.bytes)/bytesPerSecond
		switch {
		case len(w.entries) > 0:
			seconds = w.entries[0].Seconds
		case jobs > 0:
			seconds = known / jobs
		}
		if len(w.entries) == 0 {
			first += seconds
		}
		all += float64(w.missing()) * seconds
	}
	return max(first, min(all, rest))
}

// missing is how many runs a job still gets: a profiled one no more than give enough samples, at the rate of
// those that it had.
func (w *work) missing() int {
	runs := w.runs - len(w.entries)
	if had := samples(w.entries); w.setting.Profiled && had > 0 {
		each := float64(had) / float64(len(w.entries))
		runs = min(runs, int(math.Ceil(float64(enoughSamples-had)/each)))
	}
	return max(0, runs)
}

// cost is what is known of a job after its first run.
type cost struct {
	seconds float64 // of a run, with its preparations
	runs    int     // that the method asks for
}

// share divides a time among jobs: it returns how many runs each gets, all of them within the budget.
// Each job gets as many runs as its method asks for, or as fit a limit that is the same for all jobs.
// So what is cheap gets all of its runs, and what is expensive gets fewer. Each gets one run, and
// lab.RunsLeast if they fit.
func share(budget float64, jobs []cost) []int {
	for least := lab.RunsLeast; ; least-- {
		runs := fit(0, least, jobs)
		if least > 1 && total(runs, jobs) > budget {
			continue
		}
		low, high := 0.0, budget
		for range 50 { // halved so often, the limit is exact
			middle := (low + high) / 2
			if total(fit(middle, least, jobs), jobs) <= budget {
				low = middle
			} else {
				high = middle
			}
		}
		return fit(low, least, jobs)
	}
}

// fit returns how many runs of each job fit a limit in seconds.
func fit(limit float64, least int, jobs []cost) []int {
	runs := make([]int, len(jobs))
	for i, j := range jobs {
		runs[i] = min(j.runs, max(least, int(math.Min(limit/math.Max(j.seconds, 1e-6), 1e6))))
	}
	return runs
}

func total(runs []int, jobs []cost) (seconds float64) {
	for i, n := range runs {
		seconds += float64(n) * jobs[i].seconds
	}
	return seconds
}
