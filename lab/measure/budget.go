package measure

import (
	"math"

	"github.com/thresh-dev/thresh/lab"
)

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
