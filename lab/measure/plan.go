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
	asked   int // runs that the method or the user asks for
	runs    int // that it shall get
	entries []entry
	ended   bool   // it failed, or gave a wrong answer: it gets no more runs
	left    string // why it was left out, "" if it was not; another session tries again
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

// add adds a run. A run that failed, or whose answer is wrong, is the last; so is a profiled one if there
// are enough samples.
func (w *work) add(e entry) {
	if e.Skipped != "" {
		w.ended, w.skipped = true, e.Skipped
		return
	}
	w.entries = append(w.entries, e)
	_, is := wrong(w.entries)
	w.ended = w.ended || is || w.setting.Profiled && samples(w.entries) >= enoughSamples
}

// leaveOut gives a job no more runs in this session.
func (w *work) leaveOut(err error) { w.ended, w.left = true, "left out: "+err.Error() }

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
