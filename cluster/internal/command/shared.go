package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/thresh-dev/thresh/cluster"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/remote"
)

// shared holds the flags that all verbs have.
type shared struct {
	recursive         bool
	s3Endpoint        string
	runner, endpoint  string
	workerCommand     string
	parallelism       int
	listen, advertise string
	cell, rangeSize   string
	output            string
	json, quiet       bool
	receipt           string
	progress          string
}

func (s *shared) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVarP(&s.recursive, "recursive", "r", false, "read the files below folders, and objects below prefixes")
	flags.StringVar(&s.s3Endpoint, "s3-endpoint", "", "`URL` of an S3-compatible store (default: AWS_ENDPOINT_URL_S3, "+
		"AWS_ENDPOINT_URL or AWS)")
	flags.StringVarP(&s.output, "output", "o", "", "write to `FILE`, or s3://BUCKET/KEY, which appears when complete")
	flags.BoolVar(&s.json, "json", false, "print results as JSON lines")
	flags.BoolVarP(&s.quiet, "quiet", "q", false, "print nothing, set only the exit status")
	flags.StringVar(&s.runner, "runner", "embedded", "where to run: `NAME` is embedded, flink or spark")
	flags.StringVar(&s.endpoint, "endpoint", "", "`HOST:PORT` of the Beam job server of --runner")
	flags.StringVar(&s.workerCommand, "worker-command", "",
		"`PATH` of this program on the machines of the cluster (default: its path here)")
	flags.IntVar(&s.parallelism, "parallelism", 0, "how many workers a cluster uses; 0 leaves that to the runner")
	flags.StringVar(&s.listen, "listen", "", "`HOST:PORT` of this machine where workers report (default: loopback)")
	flags.StringVar(&s.advertise, "advertise", "", "`HOST[:PORT]` under which workers know --listen, if it differs")
	flags.StringVar(&s.cell, "cell", "512MiB", "`SIZE` of the ranges that a worker scans with all its cores")
	flags.StringVar(&s.rangeSize, "range", "1GiB", "`SIZE` of the ranges that a runner gives to a worker")
	flags.StringVar(&s.receipt, "receipt", "auto", "what the job did: `HOW` is auto, line, json or never")
	flags.Lookup("receipt").NoOptDefVal = "line"
	flags.StringVar(&s.progress, "progress", "auto", "`HOW` is auto, always or never")
}

// check finds flags that contradict each other.
func (s *shared) check() error {
	switch {
	case !slices.Contains([]string{"embedded", "flink", "spark"}, s.runner):
		return fmt.Errorf("--runner %s is unknown (known: embedded, flink, spark)", s.runner)
	case s.runner == "embedded" && s.endpoint != "":
		return errors.New("--endpoint names the job server of a cluster: give --runner flink or spark with it")
	case s.runner == "embedded" && (s.workerCommand != "" || s.parallelism != 0 || s.advertise != "" || s.listen != ""):
		return errors.New("--worker-command, --parallelism, --listen and --advertise are for --runner flink or spark")
	case s.runner != "embedded" && s.endpoint == "":
		return fmt.Errorf("--runner %s: where is its job server? give --endpoint HOST:PORT", s.runner)
	case s.parallelism < 0:
		return fmt.Errorf("--parallelism %d is negative", s.parallelism)
	case s.json && s.quiet:
		return errors.New("--json and --quiet contradict each other: --quiet prints nothing")
	case s.output != "" && s.quiet:
		return errors.New("--output and --quiet contradict each other: --quiet prints nothing")
	case remote.Is(s.output) && !strings.HasPrefix(s.output, "s3://"):
		return fmt.Errorf("--output %s: only files and s3://BUCKET/KEY can be written", s.output)
	case !slices.Contains([]string{"auto", "line", "json", "never"}, s.receipt):
		return fmt.Errorf("--receipt %s is unknown (known: auto, line, json, never)", s.receipt)
	case !slices.Contains([]string{"auto", "always", "never"}, s.progress):
		return fmt.Errorf("--progress %s is unknown (known: auto, always, never)", s.progress)
	}
	return nil
}

// printer prints answers.
type printer struct {
	*shared
	stdout, stderr io.Writer
	several        bool
}

// ask runs a job and prints its answer by show. Nothing appears before the answer is complete.
func (p *printer) ask(ctx context.Context, q *cluster.Question, args []string,
	show func(a *cluster.Answer, to io.Writer) error) error {
	if err := p.check(); err != nil {
		return err
	}
	o := cluster.Options{Recursive: p.recursive, S3Endpoint: p.s3Endpoint, Listen: p.listen, Advertise: p.advertise}
	var err, rangeErr error
	o.CellBytes, err = bytesize.Parse(p.cell)
	o.RangeBytes, rangeErr = bytesize.Parse(p.rangeSize)
	if err := errors.Join(err, rangeErr); err != nil {
		return err
	}
	if o.CellBytes == 0 || o.RangeBytes == 0 {
		return errors.New("--cell and --range must be more than 0 bytes")
	}
	if p.progress == "always" || p.progress == "auto" && isTerminal(p.stderr) {
		o.Progress = func(done, all int64) {
			fmt.Fprintf(p.stderr, "\r%5.1f %% of %.1f GB", 100*float64(done)/math.Max(float64(all), 1), float64(all)/1e9)
		}
	}
	return temporary(func() error { return p.run(ctx, q, args, o, show) })
}

func (p *printer) run(ctx context.Context, q *cluster.Question, args []string, o cluster.Options,
	show func(a *cluster.Answer, to io.Writer) error) (err error) {
	if err := p.checkOutput(ctx); err != nil {
		return err
	}
	runner, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, runner.Close()) }()
	job := &cluster.Job{Runner: runner, Options: o}
	answer, err := job.Ask(ctx, q, args)
	if o.Progress != nil {
		fmt.Fprintln(p.stderr)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, answer.Close()) }()
	p.several = len(answer.Inputs) > 1 || p.recursive
	found, err := p.write(ctx, answer, show)
	if err != nil {
		return err
	}
	if err := p.showReceipt(answer.Receipt); err != nil || found {
		return err
	}
	return errNone
}

func (p *printer) open(ctx context.Context) (*cluster.Runner, error) {
	if p.runner == "embedded" {
		return cluster.Embedded(ctx)
	}
	command := p.workerCommand
	if command == "" {
		var err error
		if command, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	return cluster.Remote(ctx, p.endpoint, command, p.parallelism)
}

// write writes the answer to the output, and reports whether there is anything in it.
func (p *printer) write(ctx context.Context, a *cluster.Answer,
	show func(*cluster.Answer, io.Writer) error) (found bool, err error) {
	out, err := p.create(ctx)
	if err != nil {
		return false, err
	}
	to := io.Writer(out)
	if p.quiet {
		to = io.Discard
	}
	err = show(a, to)
	if found = !errors.Is(err, errNone); found && err != nil {
		return found, errors.Join(err, out.abort())
	}
	return found, out.commit()
}

func (p *printer) showReceipt(r cluster.Receipt) error {
	switch {
	case p.receipt == "json":
		b, err := json.Marshal(r)
		if err == nil {
			_, err = fmt.Fprintf(p.stderr, "%s\n", b)
		}
		return err
	case p.receipt == "line", p.receipt == "auto" && isTerminal(p.stderr) && !p.quiet:
		_, err := fmt.Fprintln(p.stderr, r.Line())
		return err
	}
	return nil
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
