// Package measure runs variants, each run in a process of its own, with the input in a state of the page
// cache that was verified, and keeps what came out.
//
// A session is a file: a line for each run. A run of a variant is repeated as often as its experiment's
// method asks for, in turn with the other variants; what takes long is repeated less often, so that an
// experiment keeps to its time.
package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/machine"
	"github.com/thresh-dev/thresh/lab/pagecache"
)

// Options say how a session measures.
type Options struct {
	Choice

	Folder  string        // for inputs and what runs write
	Journal string        // the session's file
	Fresh   bool          // begin anew, even if the session was interrupted
	Bytes   int64         // of each experiment, 0 for what is usual and fits the machine
	Budget  time.Duration // for each experiment, without the making of its inputs
	Longest time.Duration // a single run may take
	Profile bool          // profiled runs of each variant, instead of timed runs
	Rounds  int           // instead of an experiment's number of runs; 0: that number
	Thresh  string        // the program that comparisons measure
	Quick   bool          // what comparisons are told
	Log     io.Writer     // of comparisons

	Command []string // what a request is appended to, for a child process that calls Child
	// Report is called before each run, and when something long begins.
	Report func(Progress)
}

// Progress is how far a session has come.
type Progress struct {
	Doing string // "needle/v07, warm, 4 workers: run 2 of 5"
	Done  float64
	Left  time.Duration
}

// session is a session under way.
type session struct {
	Options
	inputs  inputs
	process process
	journal *journal
	clock   clock
	noPerf  string // why perf does not profile, "" if it does
}

// Run measures experiments, and returns whatever is known of them and of others from this session. After
// an error, and when ctx ends, the results are those of the runs that have ended.
func Run(ctx context.Context, o Options, experiments []*lab.Experiment) (results lab.Results, err error) {
	if err := Check(experiments); err != nil {
		return results, err
	}
	temp := filepath.Join(o.Folder, "temp")
	// What a run that was killed has left there.
	if err := errors.Join(os.RemoveAll(temp), os.MkdirAll(temp, 0o755)); err != nil {
		return results, err
	}
	j, err := openJournal(o.Journal, o.Fresh)
	if err != nil {
		return results, err
	}
	s := &session{
		Options: o, journal: j, process: process{o.Command, o.Longest, temp},
	}
	s.inputs = inputs{o.Folder, func(name string) { s.report("making " + name) }}
	var plans []*plan
	for _, e := range experiments {
		p, err := s.plan(e)
		if err != nil {
			return results, errors.Join(err, j.file.Close())
		}
		plans = append(plans, p)
		s.clock.plans = append(s.clock.plans, p)
	}
	if o.Profile {
		s.noPerf = noPerf(ctx, temp, o.Command[0])
	}
	for _, p := range plans {
		if err = s.measure(ctx, p); err != nil {
			break
		}
	}
	results = s.results(experiments, plans)
	if err != nil {
		results.Unfinished = unfinished(err, plans)
	}
	return results, errors.Join(err, j.file.Close(), os.RemoveAll(temp))
}

// unfinished says what plans have not run when an error ended a session.
func unfinished(err error, plans []*plan) *lab.Unfinished {
	u := &lab.Unfinished{Why: err.Error()}
	if errors.Is(err, context.Canceled) {
		u.Why = "interrupted"
	}
	for _, p := range plans {
		for _, w := range p.work {
			if len(w.entries) == 0 && !w.ended {
				u.NotRun = append(u.NotRun, w.label())
			}
		}
	}
	return u
}

// plan returns what is to be done of an experiment.
func (s *session) plan(e *lab.Experiment) (*plan, error) {
	bytes := s.Bytes
	if bytes == 0 {
		free, _, err := machine.Space(s.Folder)
		if err != nil {
			return nil, fmt.Errorf("free space in %s: %w", s.Folder, err)
		}
		bytes = fitting(e.Bytes, machine.AvailableBytes(), free)
	}
	jobs, err := s.jobs(e, bytes)
	if err != nil {
		return nil, err
	}
	if s.Profile {
		jobs = profiled(jobs)
	}
	p := &plan{experiment: e, budget: s.Budget}
	for _, j := range jobs {
		runs := max(1, cmp.Or(s.Rounds, e.Method.Runs))
		if j.variant.Compare != nil {
			runs = 1 // it does the rounds itself
		}
		p.work = append(p.work, &work{job: j, asked: runs, runs: runs})
	}
	if s.Profile {
		for _, w := range p.work {
			w.runs = profileRuns
		}
	}
	p.load(s.journal)
	return p, nil
}

// measure does an experiment: a run of each job first, which shows how long each takes, then the others
// in rounds.
func (s *session) measure(ctx context.Context, p *plan) (err error) {
	defer func() { err = errors.Join(err, p.close()) }()
	for least := 1; ; least++ {
		if least == 2 {
			p.share()
		}
		more := false
		for _, w := range p.work {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !w.wants(least) {
				continue
			}
			more = true
			if err := s.do(ctx, p, w); err != nil {
				return fmt.Errorf("%s: %w", w.label(), err)
			}
		}
		if !more && least > 1 {
			return nil
		}
	}
}

// triesMost is how often a run is tried whose input did not stay in its state.
const triesMost = 3

// do does a run of a job, and keeps it. An error of the variant is kept too. A job whose input cannot be made,
// or does not stay in its state, is left out. An error that is returned ends the session.
func (s *session) do(ctx context.Context, p *plan, w *work) error {
	e := entry{Variant: w.variant.ID, Setting: w.setting, Bytes: w.bytes}
	f, in, skipped, err := s.inputFor(ctx, p, w)
	if err != nil {
		w.leaveOut(err)
		return ctx.Err()
	}
	begin := time.Now()
	if skipped != "" {
		e.Skipped = skipped
		return s.keep(w, e)
	}
	if w.variant.Compare != nil {
		return s.compare(ctx, e, w)
	}
	e.Want = want(w.job, in.answer)
	s.report(fmt.Sprintf("%s: run %d of %d", w.label(), len(w.entries)+1, w.runs))
	before, loadErr := machine.TakeLoad()
	for try := 1; ; try++ {
		err := s.try(ctx, &e, w, f, in)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			break
		}
		if try == triesMost || !errors.Is(err, pagecache.ErrLost) {
			w.leaveOut(err)
			return nil
		}
	}
	e.since(begin, before, loadErr)
	return s.keep(w, e)
}

// since sets how long a run took, and what others used of the processors meanwhile.
func (e *entry) since(begin time.Time, before machine.Load, err error) {
	after, afterErr := machine.TakeLoad()
	if errors.Join(err, afterErr) == nil {
		share := before.Others(after, runtime.NumCPU())
		e.Others, e.Host = share.Others, share.Host
	}
	e.Seconds = time.Since(begin).Seconds()
}

// try brings a job's input into its state and does a run. It returns pagecache.ErrLost if the input did not stay in it.
func (s *session) try(ctx context.Context, e *entry, w *work, f *file, in input) error {
	if f != nil {
		if err := f.prepare(in.path); err != nil {
			return err
		}
	}
	if err := s.runOnce(ctx, e, w, f); err != nil {
		e.Outcome, e.Skipped = nil, "failed: "+err.Error()
		return nil
	}
	if f == nil {
		return nil
	}
	err := f.check()
	e.Faults = f.faults
	return err
}

// runOnce does a run and sets what came out.
func (s *session) runOnce(ctx context.Context, e *entry, w *work, f *file) error {
	r := request{Task: lab.Task{Variant: w.variant.ID, Setting: w.setting}}
	if f != nil {
		r.Task.Path, r.Task.Bytes = f.path, f.bytes
	}
	var o lab.Outcome
	var err error
	if w.setting.Profiled {
		o, e.Profile, err = s.profiledRun(ctx, r, len(w.entries) == 0)
	} else {
		o, err = s.process.run(ctx, r)
	}
	e.Outcome = &o
	return err
}

func (s *session) keep(w *work, e entry) error {
	if err := s.journal.add(e); err != nil {
		return err
	}
	w.add(e)
	return nil
}

// inputFor returns the file that a job reads, in its state, and the input that it is made of; nil for a
// job that reads none.
func (s *session) inputFor(ctx context.Context, p *plan, w *work) (*file, input, string, error) {
	if w.variant.Input == "" {
		return nil, input{}, "", nil
	}
	i, err := inputOf(w.experiment, w.variant)
	if err != nil {
		return nil, input{}, "", err
	}
	in, err := s.inputs.get(ctx, w.experiment.Name, i, w.bytes)
	if err != nil {
		return nil, input{}, "", err
	}
	key := fileKey{in.path, w.setting.State}
	if f := p.files[key]; f != nil {
		return f, in, "", nil
	}
	f, skipped := newFile(in, w.setting.State)
	if skipped == "" {
		p.files[key] = f
	}
	return f, in, skipped, nil
}

// want returns the answer that a job must give, "" if none is known: then it is not checked.
func want(j job, answer string) string {
	v := j.variant
	switch {
	case v.Input == "" && v.Want != nil:
		return v.Want(j.setting)
	case v.Input != "" && v.WantOf != nil:
		return v.WantOf(answer)
	}
	return answer
}

func (s *session) report(doing string) {
	done, left := s.clock.left()
	s.Report(Progress{doing, done, left})
}
