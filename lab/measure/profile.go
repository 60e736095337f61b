package measure

import (
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
		if slices.ContainsFunc(one, func(o job) bool { return o.variant == j.variant }) {
			continue
		}
		best := j
		for _, other := range jobs {
			if other.variant == j.variant && rank(other.setting) < rank(best.setting) {
				best = other
			}
		}
		best.setting.Profiled = true
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

// traced are experiments whose article shows an execution trace.
var traced = []string{"donations/rev"}

// profiledRun does a run with a profile: by perf, which sees the kernel too, where it may be used, and by
// the Go runtime elsewhere.
func (s *session) profiledRun(ctx context.Context, r request) (lab.Outcome, *lab.Profile, error) {
	folder, err := os.MkdirTemp(s.process.folder, "profile-")
	if err != nil {
		return lab.Outcome{}, nil, err
	}
	o, p, err := s.profiledIn(ctx, r, folder)
	return o, p, errors.Join(err, os.RemoveAll(folder))
}

func (s *session) profiledIn(ctx context.Context, r request, folder string) (lab.Outcome, *lab.Profile, error) {
	p := &lab.Profile{}
	for _, prefix := range traced {
		if strings.HasPrefix(r.Task.Variant, prefix) {
			r.Trace = filepath.Join(s.Folder, strings.ReplaceAll(r.Task.Variant, "/", "-")+".trace")
			p.Trace = r.Trace
		}
	}
	file := filepath.Join(folder, "profile")
	wrap := perfRecord(ctx, file, s.Command[0])
	if wrap == nil {
		r.Pprof = file
	}
	o, err := s.process.run(ctx, r, wrap...)
	if err != nil {
		return o, nil, err
	}
	if wrap == nil {
		p.Source = "pprof"
		p.Folded, err = foldPprof(file)
	} else {
		p.Source = "perf"
		p.Folded, err = foldPerf(ctx, file)
	}
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
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	return stop, nil
}
