package measure

import (
	"bytes"
	"cmp"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strconv"
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

// perfControl is a folder with two named pipes: one in which a child tells perf when to begin and end, and
// one in which perf answers. So the samples are those of the work, without the start of the process.
type perfControl string

func (c perfControl) commands() string { return filepath.Join(string(c), "commands") }
func (c perfControl) answers() string  { return filepath.Join(string(c), "answers") }

// command returns the command line before a command that perf shall profile. Go programs keep frame
// pointers, so stacks need no more than them.
func (c perfControl) command(file string) []string {
	return []string{
		"perf", "record", "--quiet", "--freq=1999", "--call-graph=fp", "--output=" + file,
		"--delay=-1", "--control=fifo:" + c.commands() + "," + c.answers(), "--",
	}
}

// make makes the pipes.
func (c perfControl) make() error { return errors.Join(makePipe(c.commands()), makePipe(c.answers())) }

// tell gives perf a command, "enable" or "disable", and waits until it is done.
func (c perfControl) tell(command string) error {
	if err := os.WriteFile(c.commands(), []byte(command+"\n"), 0); err != nil {
		return fmt.Errorf("perf, %s: %w", command, err)
	}
	answers, err := os.Open(c.answers())
	if err != nil {
		return fmt.Errorf("perf, %s: %w", command, err)
	}
	defer answers.Close() // nothing was written
	const ack = "ack\n"
	answer := make([]byte, 64)
	n, err := answers.Read(answer)
	if err != nil || !strings.HasPrefix(string(answer[:n]), ack) {
		return fmt.Errorf("perf, %s: answer %q, error %w", command, answer[:n], err)
	}
	return nil
}

// noPerf returns why perf cannot profile a program together with the kernel here, "" if it can.
func noPerf(ctx context.Context, folder, program string) string {
	if _, err := exec.LookPath("perf"); err != nil {
		return "perf is not installed"
	}
	if why := kernelHidden(); why != "" {
		return why
	}
	if !hasSymbols(program) {
		return "this program was built without symbols"
	}
	if err := tryPerf(ctx, folder); err != nil {
		return err.Error()
	}
	return ""
}

// kernelHidden returns why this user may not profile the kernel, "" if they may.
func kernelHidden() string {
	const setting = "/proc/sys/kernel/perf_event_paranoid"
	const most = 1
	text, err := os.ReadFile(setting)
	if err != nil {
		return "this system has no " + setting
	}
	level, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return fmt.Sprintf("%s is %q", setting, text)
	}
	if level > most && os.Geteuid() != 0 {
		return fmt.Sprintf("kernel.perf_event_paranoid is %d, and only root may profile the kernel above %d", level, most)
	}
	return ""
}

// hasSymbols reports whether an ELF file has a table of symbols: "go test" and releases often leave it out.
func hasSymbols(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() // nothing was written
	_, err = f.Symbols()
	return err == nil
}

// tryPerf lets perf take samples of something that takes long enough for some: some machines have perf and
// no samples, and old versions know not all options.
func tryPerf(ctx context.Context, folder string) (err error) {
	folder, err = os.MkdirTemp(folder, "perf-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	c := perfControl(folder)
	if err := c.make(); err != nil {
		return err
	}
	file := filepath.Join(folder, "profile")
	script := fmt.Sprintf("echo enable >%q; i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done", c.commands())
	args := append(c.command(file), "sh", "-c", script)
	if text, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("perf record: %w: %s", err, firstLine(text))
	}
	folded, err := foldPerf(ctx, file)
	if err == nil && len(folded) == 0 {
		err = errors.New("perf takes no samples here")
	}
	return err
}

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	return line
}
