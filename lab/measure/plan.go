package measure

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/lab"
)

// plan is what is to be done of an experiment, and what has been done.
type plan struct {
	experiment *lab.Experiment
	budget     time.Duration
	work       []*work
	files      map[fileKey]*file
}

// fileKey is an input in a state.
type fileKey struct {
	path  string
	state lab.State
}

// work is a job with its runs so far.
type work struct {
	job
	runs    int // that it shall get
	entries []entry
	ended   bool // it failed, or gave a wrong answer: it gets no more runs
}

// load takes over the runs of an interrupted session.
func (p *plan) load(j *journal) {
	p.files = map[fileKey]*file{}
	for _, w := range p.work {
		w.ended = w.skipped != ""
		for _, e := range j.entries {
			if e.of(w.job) {
				w.add(e)
			}
		}
	}
}

// add adds a run. A run that failed, or whose answer is wrong, is the last.
func (w *work) add(e entry) {
	if e.Skipped != "" {
		w.ended, w.skipped = true, e.Skipped
		return
	}
	w.entries = append(w.entries, e)
	_, is := wrong(w.entries)
	w.ended = w.ended || is
}

// wants reports whether a job shall get another run before all have least.
func (w *work) wants(least int) bool {
	return !w.ended && len(w.entries) < min(least, w.runs)
}

// share sets how many runs each job gets, when each has had one.
func (p *plan) share() {
	var costs []cost
	var of []*work
	for _, w := range p.work {
		if w.ended || len(w.entries) == 0 {
			continue
		}
		costs = append(costs, cost{w.entries[0].Seconds, w.runs})
		of = append(of, w)
	}
	for i, n := range share(p.budget.Seconds(), costs) {
		of[i].runs = n
	}
}

// close removes the files that only this experiment needed.
func (p *plan) close() (err error) {
	for _, f := range p.files {
		err = errors.Join(err, f.remove())
	}
	return err
}

// label names a job: "needle/v07, warm, 4 workers".
func (j *job) label() string {
	return strings.Join(append([]string{j.variant.ID}, Conditions(j.setting)...), ", ")
}

// Conditions returns a setting in words, without what it leaves open.
func Conditions(s lab.Setting) (words []string) {
	if s.State != lab.Any {
		words = append(words, string(s.State))
	}
	number := func(n int, one, many string) {
		switch {
		case n == 1:
			words = append(words, "1 "+one)
		case n > 1:
			words = append(words, fmt.Sprintf("%d %s", n, many))
		}
	}
	number(s.Workers, "worker", "workers")
	number(s.Procs, "processor", "processors")
	if s.N > 0 {
		words = append(words, fmt.Sprintf("n = %d", s.N))
	}
	if s.Profiled {
		words = append(words, "profiled")
	}
	return words
}

// clock estimates how long a session still takes.
type clock struct {
	began  time.Time
	making time.Duration // of inputs, which says nothing about the runs
	plans  []*plan
}

// left returns the part of the session that is done, and an estimate of the time that the rest takes. A
// job that has not run yet counts as the average of those that have.
func (c *clock) left() (done float64, left time.Duration) {
	var spent, ahead, known float64
	var jobs int
	for _, p := range c.plans {
		for _, w := range p.work {
			if len(w.entries) > 0 {
				known, jobs = known+w.entries[0].Seconds, jobs+1
			}
		}
	}
	each := 1.0
	if jobs > 0 {
		each = known / float64(jobs)
	}
	for _, p := range c.plans {
		var mine float64
		for _, w := range p.work {
			for _, e := range w.entries {
				spent += e.Seconds
			}
			seconds := each
			if len(w.entries) > 0 {
				seconds = w.entries[0].Seconds
			}
			if !w.ended {
				mine += float64(w.runs-len(w.entries)) * seconds
			}
		}
		ahead += min(mine, p.budget.Seconds())
	}
	if spent+ahead <= 0 {
		return 1, 0
	}
	return spent / (spent + ahead), time.Duration(ahead * float64(time.Second))
}
