package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/catalog"
	"github.com/thresh-dev/thresh/lab/machine"
	"github.com/thresh-dev/thresh/lab/measure"
	"github.com/thresh-dev/thresh/lab/peer"
)

// runFlags are the flags of run.
type runFlags struct {
	size, only, output, thresh     string
	scale                          []int
	rounds                         int
	cold, quick, fresh, json, prof bool
	budget, longest                time.Duration
}

const (
	quickBytes  = 64 << 20
	quickBudget = 15 * time.Second
	leastBytes  = 1 << 20
)

func newRun(c *console) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [flags] [EXPERIMENT...]",
		Short: "run the variants, and print their figures beside the published ones",
		Long: `run runs each variant of the experiments (default: of all articles), as often as its
article did, each time in a process of its own. Inputs are generated once and
kept in the user's cache folder; every answer is compared with the right one.
A variant whose answer is wrong is shown as wrong, and has no figure.

An experiment keeps to its --budget: what takes long is run less often, and that
is said. Ctrl-C ends a session, and the same command goes on with it; --fresh
begins anew.

Warm inputs are read into the page cache in order, cold ones are dropped from
it; both are verified. Some variants also run on a file whose pages came into
the page cache one by one: that decides how fast a mapping is.

The experiments peers, situations, kernels and scaling run only if they are
named. They compare thresh with other programs, and its own engines, kernels
and numbers of workers with each other, by ratios of samples that take turns;
--only picks some of these hours.
One that fails is an error.

With --profile the same command profiles the variants, by perf where it may see
the kernel, otherwise by the Go runtime: the report then has flame graphs.`,
		Example: `  thresh lab run
  thresh lab run needle --size 4GiB --scale 1,2,4,8,16
  thresh lab run donations -o here.json
  thresh lab run --only 'needle/v(04|07)'
  thresh lab run needle --profile
  thresh lab run peers --only '/(cmp|lines)$' -o here.json`,
		ValidArgsFunction: completeExperiments,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), c, args)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.size, "size", "",
		"size of each experiment's input (default: its usual size, or what fits the machine)")
	flags.IntSliceVar(&f.scale, "scale", nil, "numbers of workers, instead of each variant's own")
	flags.BoolVar(&f.cold, "cold", true, "also with inputs that are not in the page cache; --cold=false leaves them out")
	flags.StringVar(&f.only, "only", "", "only the variants whose ID matches this `RE`")
	flags.BoolVar(&f.quick, "quick", false, "small inputs and few runs: two minutes, to see how it works")
	flags.IntVar(&f.rounds, "rounds", 0,
		"runs of each variant, and rounds of each comparison, instead of each experiment's own")
	flags.StringVar(&f.thresh, "thresh", "",
		"the `PROGRAM` that peers and situations measure (default: thresh beside this program, or on the PATH)")
	flags.DurationVar(&f.budget, "budget", 4*time.Minute, "time for the runs of each experiment")
	flags.DurationVar(&f.longest, "longest", 2*time.Minute, "time after which a single run is ended")
	flags.BoolVar(&f.prof, "profile", false, "profile runs of each variant instead of timing them: for flame graphs")
	flags.BoolVar(&f.fresh, "fresh", false, "forget what an earlier session with the same sizes has measured")
	flags.StringVarP(&f.output, "output", "o", "", "also write the results to this `FILE`, as JSON")
	flags.BoolVar(&f.json, "json", false, "print the results as JSON")
	return cmd
}

func completeExperiments(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
	for _, e := range catalog.All() {
		names = append(names, e.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// options returns what the flags ask of a session. The session is not known yet.
func (f *runFlags) options() (o measure.Options, err error) {
	o = measure.Options{Budget: f.budget, Longest: f.longest, Fresh: f.fresh, Profile: f.prof, Rounds: f.rounds}
	o.Choice = measure.Choice{Scale: f.scale, Cold: f.cold}
	if f.only != "" {
		if o.Only, err = regexp.Compile(f.only); err != nil {
			return o, fmt.Errorf("--only: %w", err)
		}
	}
	if f.quick {
		o.Bytes, o.Budget, o.Quick = quickBytes, min(quickBudget, f.budget), true
	}
	if f.size != "" {
		bytes, err := humanize.ParseBytes(f.size)
		if err != nil || bytes < leastBytes || bytes > 1<<50 {
			return o, fmt.Errorf("--size %s: want a size of at least 1MiB, for example 4GiB", f.size)
		}
		o.Bytes = int64(bytes)
	}
	for _, n := range f.scale {
		if n < 1 {
			return o, fmt.Errorf("--scale: %d workers", n)
		}
	}
	if f.rounds < 0 {
		return o, fmt.Errorf("--rounds %d: must be at least 1", f.rounds)
	}
	if f.budget <= 0 || f.longest <= 0 {
		return o, errors.New("--budget and --longest must be more than nothing")
	}
	return o, nil
}

func (f *runFlags) run(ctx context.Context, c *console, names []string) (err error) {
	o, err := f.options()
	if err != nil {
		return err
	}
	experiments, err := catalog.Named(names...)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.folder, 0o755); err != nil {
		return err
	}
	unlock, err := lock(c.folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()

	if o.Thresh, err = f.measured(self, experiments); err != nil {
		return err
	}
	m := machine.Describe(c.folder)
	m.Programs = peer.Versions()
	if o.Thresh != "" {
		m.Programs["thresh"] = peer.Version(o.Thresh)
	}
	session, err := sessionFor(c.folder, []string{self, o.Thresh}, m, f.size, f.rounds, f.quick)
	if err != nil {
		return err
	}
	p := newProgress(c.err)
	o.Folder, o.Journal, o.Log = c.folder, session.journal(), c.err
	o.Command, o.Report = []string{self, childCommand}, p.show
	p.show(measure.Progress{Doing: "measuring the limits of the machine"})
	if m.Limits, err = machine.Limits(ctx, c.folder); err != nil {
		p.note("the limits of the machine are unknown: " + err.Error())
	}
	results, runErr := measure.Run(ctx, o, experiments)
	p.end()
	results.Machine, results.Quick = m, f.quick
	if err := errors.Join(session.keep(results), f.write(results)); err != nil {
		return errors.Join(runErr, err)
	}
	if f.json {
		err = printJSON(c.out, results)
	} else {
		err = printResults(c.out, experiments, results)
	}
	if errors.Is(runErr, context.Canceled) {
		fmt.Fprintln(c.err, "thresh-lab: interrupted; the same command goes on from here")
	}
	return errors.Join(runErr, err, failed(results, experiments))
}

// failed returns an error if a comparison could not be made: a wrong answer is one.
func failed(r lab.Results, experiments []*lab.Experiment) error {
	var names []string
	for _, e := range experiments {
		for i := range r.Measurements {
			m := &r.Measurements[i]
			if v := variantOf(e, m.Variant); v != nil && v.Compare != nil && strings.HasPrefix(m.Skipped, "failed: ") {
				names = append(names, m.Variant)
			}
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("%d comparisons failed: %s", len(names), strings.Join(names, ", "))
	}
	return nil
}

// write writes the results to the file that was asked for.
func (f *runFlags) write(r lab.Results) error {
	if f.output == "" {
		return nil
	}
	return writeFile(f.output, func(w *os.File) error { return json.NewEncoder(w).Encode(r) })
}

// ownProgram is what make build builds.
const ownProgram = "bin/thresh"

// measured returns the program that comparisons measure, "" if there are no comparisons.
func (f *runFlags) measured(self string, experiments []*lab.Experiment) (string, error) {
	if !slices.ContainsFunc(experiments, func(e *lab.Experiment) bool { return e.Aside }) {
		return "", nil
	}
	program := f.thresh
	if program == "" {
		program = filepath.Join(filepath.Dir(self), "thresh")
		if here, err := filepath.Abs(ownProgram); err == nil && here == program {
			program = ownProgram
		}
		if _, err := os.Stat(program); err != nil {
			if program, err = exec.LookPath("thresh"); err != nil {
				return "", fmt.Errorf("no program to measure: %w (make build makes one; --thresh names another)", err)
			}
		}
	}
	if err := upToDate(program, "."); err != nil {
		return "", fmt.Errorf("no program to measure: %w (make build makes one)", err)
	}
	return filepath.Abs(program)
}

// upToDate returns an error if there is no such program, or if it is this repository's own and older than the sources
// in a folder: then its figures would be those of another version.
func upToDate(program, root string) error {
	info, err := os.Stat(program)
	if err != nil || program != ownProgram {
		return err
	}
	built := info.ModTime()
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != root && (name == "testdata" || name[0] == '.' || isModule(path)):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".s") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(built) {
			err = fmt.Errorf("%s is of %s and %s has changed since", program, built.Format(time.DateTime), path)
		}
		return err
	})
}

// isModule reports whether a folder is a module of its own: the program is not made of it.
func isModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}
