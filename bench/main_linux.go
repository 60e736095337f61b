// Command bench compares thresh with other programs, and with the limits of the machine, by ratios
// from one run; see README.md in this folder.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/lab/machine"
	"github.com/thresh-dev/thresh/lab/peer"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == childCommand {
		if err := child(os.Args[2:], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bench child:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
}

// options are the flags.
type options struct {
	only, shapes, size, thresh, out, recordAs string
	rounds                                    int
	quick, clean, record                      bool
}

func parseOptions(args []string, stderr io.Writer) (o options, err error) {
	f := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	f.SetOutput(stderr)
	f.SortFlags = false
	f.StringVar(&o.only, "only", "", "run the cases whose name matches this expression")
	f.StringVar(&o.shapes, "shapes", "", "of the case table-shapes, ask the questions whose name matches this expression")
	f.IntVar(&o.rounds, "rounds", 7,
		"rounds of each comparison, after a warm-up round; at least 5")
	f.BoolVar(&o.quick, "quick", false, "small data and 2 rounds, to try the bench; do not quote the results")
	f.StringVar(&o.size, "size", "4GiB", "size of the haystack; the other files scale with it")
	f.BoolVar(&o.clean, "clean", false, "remove the data that is kept between runs, and exit")
	f.StringVar(&o.thresh, "thresh", ownProgram, "the program to measure")
	f.StringVar(&o.out, "out", "out", "folder for the report as JSON")
	f.BoolVar(&o.record, "record", false, "keep the report in "+recordFolder+"/DATE-NAME; cases of the same day are added")
	f.StringVar(&o.recordAs, "record-as", "", "NAME of the record (default: made from the processor's)")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unknown argument %q", f.Arg(0))
	}
	o.record = o.record || o.recordAs != ""
	if o.record && o.quick {
		return o, errors.New("--record and --quick contradict each other: quick figures are not to quote")
	}
	if o.recordAs != "" && !recordNames.MatchString(o.recordAs) {
		return o, fmt.Errorf("--record-as %q: want small letters, digits and hyphens", o.recordAs)
	}
	if o.quick {
		if !f.Changed("size") {
			o.size = "512MiB"
		}
		if !f.Changed("rounds") {
			o.rounds = 2
		}
	}
	if least := map[bool]int{true: 1, false: 5}[o.quick]; o.rounds < least {
		return o, fmt.Errorf("--rounds %d: must be at least %d", o.rounds, least)
	}
	return o, nil
}

// bench is one run.
type bench struct {
	options
	self    string // this program, for child processes
	workers int
	size    int64 // of the haystack
	data    *data
	report  *report
	log     io.Writer
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if ran, err := tool(args, stdout); ran {
		return err
	}
	if len(args) > 0 && args[0] == situationsCommand {
		return runSituations(ctx, args[1:], situationList, stdout, stderr)
	}
	o, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	d, err := openData(benchFolder(cache))
	if err != nil {
		return err
	}
	defer d.close() // unlocks the folder
	if o.clean {
		return d.clean()
	}
	if err := peer.ExtendPath(); err != nil {
		return err
	}
	only, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	b, err := newBench(o, d, stderr)
	if err != nil {
		return err
	}
	failed := 0
	for _, c := range cases {
		if ctx.Err() != nil {
			break // the results so far are printed
		}
		if !only.MatchString(c.name) {
			continue
		}
		fmt.Fprintf(stderr, "%s: %s\n", c.name, c.what)
		if missing := peer.Missing(c.tools...); missing != "" {
			b.skip(c.name, missing+" is not installed; make bench-setup installs it")
			continue
		}
		if err := b.runCase(ctx, c); err != nil {
			if ctx.Err() != nil {
				err = errors.New("interrupted")
			}
			failed++
			b.skip(c.name, "FAILED: "+err.Error())
		}
	}
	if err := b.report.print(stdout); err != nil {
		return err
	}
	name, err := b.report.save(o.out)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d targets missed; written to %s\n", b.report.missed(), name)
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if o.record {
		if err := b.keep(stdout); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d cases failed", failed)
	}
	return nil
}

// runCase runs a case, and stores in its rows how much others used the machine meanwhile.
func (b *bench) runCase(ctx context.Context, c benchCase) error {
	begin, err := machine.TakeLoad()
	if err != nil {
		return err
	}
	rows := len(b.report.Rows)
	if err := c.run(ctx, b, c.name); err != nil {
		return err
	}
	end, err := machine.TakeLoad()
	for i := rows; i < len(b.report.Rows); i++ {
		b.report.Rows[i].Others = begin.Others(end, runtime.NumCPU())
	}
	return err
}

func newBench(o options, d *data, stderr io.Writer) (*bench, error) {
	size, err := humanize.ParseBytes(o.size)
	if err != nil || size < 64<<20 || size > math.MaxInt64/4 {
		return nil, fmt.Errorf("--size %s: want a size of at least 64MiB, for example 4GiB", o.size)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := upToDate(o.thresh, "."); err != nil {
		return nil, fmt.Errorf("no program to measure: %w (make build makes one)", err)
	}
	b := &bench{
		options: o, self: self, workers: runtime.NumCPU(), size: int64(size &^ 7), data: d, log: stderr,
	}
	b.report = &report{
		Date: time.Now(), Machine: machineFacts(d.folder), Size: b.size, Quick: o.quick,
		Peers: versions("rg", "grep", "cmp", "fio", "gzip", "igzip", "nginx", "caddy", "haproxy", "wrk", "strace",
			"libdeflate-gunzip", o.thresh),
	}
	b.report.Peers["thresh"] = b.report.Peers[o.thresh]
	delete(b.report.Peers, o.thresh)
	b.data.pythonVersions(b.report.Peers)
	return b, nil
}

func (b *bench) skip(name, why string) {
	b.report.Skipped = append(b.report.Skipped, name+": "+why)
	fmt.Fprintf(b.log, "  %s\n", why)
}
