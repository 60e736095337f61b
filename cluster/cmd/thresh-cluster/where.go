package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/cluster"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/run"
)

// where holds the flags that say where a question is answered.
type where struct {
	runner, endpoint  string
	workerCommand     string
	parallelism       int
	listen, advertise string
	cell, rangeSize   command.Size
	verbose           bool
	output, s3        *string // those of the verb
	embedded
}

func (w *where) flags() []command.Flag {
	w.runner, w.cell, w.rangeSize = "embedded", 512<<20, 1<<30
	const whole = "omit the flag for the default"
	return command.Section("Where to run:", []command.Flag{
		{Name: "runner", To: &w.runner, Values: []string{"embedded", "flink", "spark"},
			Help: "where to run: `NAME` is embedded (on this machine, the default), flink or spark"},
		{Name: "endpoint", To: &w.endpoint, Help: "`HOST:PORT` of the Beam job server of --runner"},
		{Name: "worker-command", To: &w.workerCommand,
			Help: "`PATH` of this program on the machines of the cluster (default: its path here)"},
		{Name: "parallelism", To: &w.parallelism, Positive: "omit the flag to leave that to the runner",
			Help: "use `N` workers of the cluster (default: as the runner says)"},
		{Name: "listen", To: &w.listen,
			Help: "`HOST:PORT` of this machine where workers report (default: loopback)"},
		{Name: "advertise", To: &w.advertise,
			Help: "`HOST[:PORT]` under which workers know --listen, if it differs"},
		{Name: "cell", To: &w.cell, Positive: whole,
			Help: "a worker scans `SIZE` with all its cores at a time (default 512MiB)"},
		{Name: "range", To: &w.rangeSize, Positive: whole,
			Help: "a runner gives `SIZE` to a worker at a time (default 1GiB)"},
		{Name: "verbose", To: &w.verbose, Help: "after an error of the runner, print all that it says"},
	})
}

// refusal says why flags cannot be given.
type refusal struct{ flags, why string }

// refusals are the flags of thresh that are not for a cluster.
var refusals = []refusal{
	{"offset length", "a job reads whole inputs"},
	{"engine workers chunk mem cache", "each machine of a cluster chooses for itself"},
	{"explain dry-run", "the plan would be that of one machine"},
	{"from to time-format zone utc", "where a time is in a log one machine finds by bisection, in no time"},
	{"follow", "a job reads what is there"},
	{"nth", "where the record of a number is, is known only when all before it are read"},
	{"select", "the records would all go through this machine; --group and --top are for a cluster"},
	{"sample", "one machine draws it"},
	{"columns", "the figures of a column cannot be merged"},
}

// onCluster makes a verb ask the machines of a cluster.
func onCluster(v *command.Verb, e embedded) *command.Verb {
	w := &where{embedded: e}
	var refused []string
	for i := range v.Flags {
		f := &v.Flags[i]
		switch f.Name {
		case "output":
			w.output = f.To.(*string)
		case "s3-endpoint":
			w.s3 = f.To.(*string)
		}
		for _, r := range refusals {
			for name := range strings.FieldsSeq(r.flags) {
				if f.Name == name {
					f.Hidden = true
					refused = append(refused, "--"+name)
				}
			}
		}
	}
	v.Flags = append(v.Flags, w.flags()...)
	v.Long += "\n\nOn a cluster these flags of thresh are refused, with the reason:\n "
	for i, flag := range refused {
		if i > 0 && i%6 == 0 {
			v.Long += "\n "
		}
		v.Long += " " + flag
	}
	v.Quick = false
	local := v.Run
	v.Run = func(ctx context.Context, c *command.Call) error {
		c.Serves(endsWithin) // a job is cancelled after an interrupt
		for _, r := range refusals {
			if flag := c.First(r.flags); flag != "" {
				return fmt.Errorf("--%s is not for a cluster: %s", flag, r.why)
			}
		}
		if err := w.check(); err != nil {
			return err
		}
		return temporary(func() error { return w.ask(ctx, c, local) })
	}
	return v
}

// endsWithin is how long a job may take to end that is cancelled.
const endsWithin = 20 * time.Second

// check finds flags that contradict each other.
func (w *where) check() error {
	switch given := w.workerCommand + w.advertise + w.listen; {
	case w.runner != "embedded" && w.endpoint == "":
		return fmt.Errorf("--runner %s: where is its job server? give --endpoint HOST:PORT", w.runner)
	case w.runner != "embedded":
		return nil
	case w.endpoint != "":
		return errors.New("--endpoint names the job server of a cluster: give --runner flink or spark with it")
	case given != "" || w.parallelism != 0:
		return errors.New("--worker-command, --parallelism, --listen and --advertise are for --runner flink or spark")
	}
	return nil
}

// ask runs the verb, whose questions are answered by jobs.
func (w *where) ask(ctx context.Context, c *command.Call, verb func(context.Context, *command.Call) error) (err error) {
	runner, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, runner.Close()) }()
	job, err := cluster.NewJob(runner, cluster.Options{S3Endpoint: *w.s3, CellBytes: int64(w.cell),
		RangeBytes: int64(w.rangeSize), Listen: w.listen, Advertise: w.advertise})
	if err != nil {
		return err
	}
	defer job.Close()
	store, err := w.toStore(ctx)
	if err != nil {
		return err
	}
	err = verb(run.With(ctx, cluster.NewExecutor(job)), c)
	var engine *cluster.EngineError
	if errors.As(err, &engine) && w.verbose {
		fmt.Fprintln(c.Err, engine.Dump)
	}
	return store(err)
}

func (w *where) open(ctx context.Context) (*cluster.Runner, error) {
	if w.runner == "embedded" {
		return w.embedded(ctx)
	}
	path := w.workerCommand
	if path == "" {
		var err error
		if path, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	return cluster.Remote(ctx, w.endpoint, path, w.parallelism)
}

// temporary gives the process a temporary folder of its own, which is removed when use has returned.
func temporary(use func() error) (err error) {
	folder, err := os.MkdirTemp("", "thresh-cluster-*")
	if err != nil {
		return err
	}
	before, set := os.LookupEnv("TMPDIR")
	if err := os.Setenv("TMPDIR", folder); err != nil {
		return errors.Join(err, os.RemoveAll(folder))
	}
	defer func() {
		if set {
			err = errors.Join(err, os.Setenv("TMPDIR", before))
		} else {
			err = errors.Join(err, os.Unsetenv("TMPDIR"))
		}
		err = errors.Join(err, os.RemoveAll(folder))
	}()
	return use()
}
