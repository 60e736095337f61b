package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/lab"
)

// profiled returns a job for each variant: its last setting that needs no particular number of workers,
// with as many as there are processors otherwise, on an input that is warm where it can be.
func profiled(jobs []job) (one []job) {
	for _, j := range jobs {
		if j.variant.Compare != nil || slices.ContainsFunc(one, func(o job) bool { return o.variant == j.variant }) {
			continue
		}
		best := j
		for _, other := range jobs {
			if other.variant == j.variant && rank(other.setting) < rank(best.setting) {
				best = other
			}
		}
		best.setting.Profiled = best.skipped == "" // what cannot run is shown beside what was timed
		one = append(one, best)
	}
	return one
}

// rank says how well a setting suits a profile, less being better.
func rank(s lab.Setting) int {
	switch s.State {
	case lab.Any, lab.Warm:
		return 0
	case lab.Pieces:
		return 1
	}
	return 2
}

// profileRuns is how often a profiled run is repeated at most, and enoughSamples ends that: a flame graph
// of a few dozen samples says little.
const (
	profileRuns   = 8
	enoughSamples = 400
)

// merge adds the samples of another run to a profile.
func merge(p, more *lab.Profile) *lab.Profile {
	sum := &lab.Profile{Folded: map[string]int64{}}
	for _, one := range []*lab.Profile{p, more} {
		if one == nil {
			continue
		}
		sum.Source, sum.Note = one.Source, one.Note
		for stack, n := range one.Folded {
			sum.Folded[stack] += n
		}
		sum.Execution = cmp.Or(sum.Execution, one.Execution)
	}
	return sum
}

// samples counts those of all profiles.
func samples(entries []entry) (all int64) {
	for _, e := range entries {
		if e.Profile == nil {
			continue
		}
		for _, n := range e.Profile.Folded {
			all += n
		}
	}
	return all
}

// hasTrace begins the names of variants whose article shows an execution trace.
const hasTrace = "donations/rev"

// profiledRun does a run with a profile: by perf, which sees the kernel too, where it may be used, and by
// the Go runtime elsewhere. Where the article shows an execution trace, the first run is followed by one
// with a trace: the trace's own work does not belong into the profile.
func (s *session) profiledRun(ctx context.Context, r request, first bool) (o lab.Outcome, p *lab.Profile, err error) {
	folder, err := os.MkdirTemp(s.process.folder, "profile-")
	if err != nil {
		return o, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if o, p, err = s.profiledIn(ctx, r, folder); err != nil {
		return o, nil, err
	}
	if !first || !strings.HasPrefix(r.Task.Variant, hasTrace) {
		return o, p, nil
	}
	r.Trace = filepath.Join(s.Folder, strings.ReplaceAll(r.Task.Variant, "/", "-")+".trace")
	if _, err := s.process.run(ctx, r); err != nil {
		return o, nil, fmt.Errorf("with an execution trace: %w", err)
	}
	p.Execution, err = summarize(r.Trace)
	return o, p, err
}

func (s *session) profiledIn(ctx context.Context, r request, folder string) (lab.Outcome, *lab.Profile, error) {
	p := &lab.Profile{Source: "pprof", Note: s.noPerf}
	file := filepath.Join(folder, "profile")
	if s.noPerf != "" {
		r.Pprof = file
		o, err := s.process.run(ctx, r)
		if err != nil {
			return o, nil, err
		}
		p.Folded, err = foldPprof(file)
		return o, p, err
	}
	p.Source, r.Perf = "perf", perfControl(folder)
	if err := r.Perf.make(); err != nil {
		return lab.Outcome{}, nil, err
	}
	o, err := s.process.run(ctx, r, r.Perf.command(file)...)
	if err != nil {
		return o, nil, err
	}
	p.Folded, err = foldPerf(ctx, file)
	return o, p, err
}

// profile begins the profiles that a request asks for, and returns a function that ends them.
func (r request) profile() (stop func() error, err error) {
	var ends []func() error
	stop = func() (err error) {
		for _, end := range ends {
			err = errors.Join(err, end())
		}
		return err
	}
	begin := func(path string, start func(f *os.File) error, end func()) error {
		if path == "" {
			return nil
		}
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		if err := start(f); err != nil {
			return errors.Join(fmt.Errorf("profile to %s: %w", path, err), f.Close())
		}
		ends = append(ends, func() error { end(); return f.Close() })
		return nil
	}
	err = begin(r.Pprof, func(f *os.File) error { return pprof.StartCPUProfile(f) }, pprof.StopCPUProfile)
	if err == nil {
		err = begin(r.Trace, func(f *os.File) error { return trace.Start(f) }, trace.Stop)
	}
	if err == nil && r.Perf != "" {
		if err = r.Perf.tell("enable"); err == nil {
			ends = append(ends, func() error { return r.Perf.tell("disable") })
		}
	}
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	return stop, nil
}
