package measure

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
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

// Choice says what of the experiments is measured.
type Choice struct {
	Only  *regexp.Regexp // variants whose ID matches; nil means all
	Scale []int          // numbers of workers, instead of the experiments' own
	Cold  bool           // also with inputs that are not in the page cache
}

// job is a variant under a setting.
type job struct {
	experiment *lab.Experiment
	variant    *lab.Variant
	setting    lab.Setting
	bytes      int64  // of the experiment's input for it, as asked for
	skipped    string // why it cannot run, "" if it can
}

// jobs returns what is to be measured of an experiment of so many bytes: first what needs no particular
// state of the page cache, cold files last.
func (c Choice) jobs(e *lab.Experiment, bytes int64) (all []job, err error) {
	for i := range e.Variants {
		v := &e.Variants[i]
		if c.Only != nil && !c.Only.MatchString(v.ID) {
			continue
		}
		missing := Missing(v)
		size, err := inputBytes(e, v, bytes)
		if err != nil {
			return nil, err
		}
		if v.Compare != nil {
			size = bytes
		}
		for _, s := range c.settings(v) {
			all = append(all, job{e, v, s, size, missing})
		}
	}
	order := []lab.State{lab.Any, lab.Warm, lab.Pieces, lab.Cold}
	slices.SortStableFunc(all, func(a, b job) int {
		return cmp.Compare(slices.Index(order, a.setting.State), slices.Index(order, b.setting.State))
	})
	return all, nil
}

// inputBytes returns the size of a variant's input, 0 if it has none.
func inputBytes(e *lab.Experiment, v *lab.Variant, bytes int64) (int64, error) {
	if v.Input == "" {
		return 0, nil
	}
	i, err := inputOf(e, v)
	if err != nil {
		return 0, err
	}
	size := float64(bytes) * i.Share
	if v.Share > 0 {
		size *= v.Share
	}
	return int64(size) &^ (page - 1), nil
}

func inputOf(e *lab.Experiment, v *lab.Variant) (lab.Input, error) {
	for _, i := range e.Inputs {
		if i.Name == v.Input {
			return i, nil
		}
	}
	return lab.Input{}, fmt.Errorf("thresh: bug: %s has no input %q", v.ID, v.Input)
}

// settings returns the settings that a variant is measured under.
func (c Choice) settings(v *lab.Variant) (all []lab.Setting) {
	own := v.Settings
	if len(own) == 0 {
		own = []lab.Setting{{}}
	}
	for _, s := range own {
		if s.State == lab.Cold && !c.Cold {
			continue
		}
		workers := []int{s.Workers}
		if s.Workers > 0 && c.Scale != nil {
			workers = c.Scale
		}
		for _, s.Workers = range workers {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// Check returns an error unless the experiments are in order: IDs that occur once and begin with the
// experiment's name, inputs that exist.
func Check(experiments []*lab.Experiment) (err error) {
	seen := map[string]bool{}
	for _, e := range experiments {
		for i := range e.Variants {
			v := &e.Variants[i]
			if seen[v.ID] {
				err = errors.Join(err, fmt.Errorf("thresh: bug: %s occurs twice", v.ID))
			}
			seen[v.ID] = true
			if (v.Run == nil) == (v.Compare == nil) {
				err = errors.Join(err, fmt.Errorf("thresh: bug: %s cannot be run", v.ID))
			}
			_, ierr := inputBytes(e, v, 0)
			err = errors.Join(err, ierr)
		}
	}
	return err
}

// Missing returns why a variant cannot run here, "" if it can.
func Missing(v *lab.Variant) string {
	if v.Missing == nil {
		return ""
	}
	return v.Missing()
}
