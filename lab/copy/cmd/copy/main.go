// Command copy reruns a published experiment about sendfile and splice on this machine, and reports
// which of its claims hold here.
//
//	go run ./lab/copy/cmd/copy
//	go run ./lab/copy/cmd/copy --size 64MiB --transfers 4 --only 'raw|wrapped'
//	go run ./lab/copy/cmd/copy --clean
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"github.com/thresh-dev/thresh/lab/copy"
)

func main() {
	if handled, status := copy.Child(os.Args[1:]); handled {
		os.Exit(status)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "copy:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	size, only             string
	transfers, rounds      int
	noTrace, asJSON, clean bool
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	f := pflag.NewFlagSet("copy", pflag.ContinueOnError)
	f.SetOutput(stderr)
	f.SortFlags = false
	f.StringVar(&o.size, "size", "512MiB", "size of the file, which is cached in the user's cache folder")
	f.IntVar(&o.transfers, "transfers", 10, "transfers of the file in each timed run")
	f.IntVar(&o.rounds, "rounds", 3, "timed runs of each variant, in turn")
	f.StringVar(&o.only, "only", "", "run only the variants whose whole name matches this expression")
	f.BoolVar(&o.noTrace, "no-trace", false, "do not count system calls with strace, even if it is installed")
	f.BoolVar(&o.asJSON, "json", false, "print all figures as JSON")
	f.BoolVar(&o.clean, "clean", false, "remove the files in the cache folder and exit")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("unknown argument %q", f.Arg(0))
	case o.transfers < 1 || o.rounds < 1:
		return o, fmt.Errorf("--transfers %d, --rounds %d: both must be at least 1", o.transfers, o.rounds)
	}
	return o, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	folder := filepath.Join(cache, "thresh")
	if o.clean {
		return clean(folder)
	}
	size, err := humanize.ParseBytes(o.size)
	if err != nil || size < 1<<20 || size > 1<<40 {
		return fmt.Errorf("--size %q: must be from 1MiB to 1TiB", o.size)
	}
	only, err := regexp.Compile("^(?:" + o.only + ")$")
	if err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	var chosen []copy.Variant
	for _, v := range copy.Variants() {
		switch {
		case o.only != "" && !only.MatchString(v.ID):
		case v.Unavailable != "":
			return fmt.Errorf("copy/%s cannot run here: %s", v.ID, v.Unavailable)
		default:
			chosen = append(chosen, v)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("--only %q: no variant matches", o.only)
	}
	file, err := data(folder, int64(size))
	if err != nil {
		return err
	}
	measured, err := o.measure(ctx, chosen, file, stderr)
	if err != nil {
		return err
	}
	r := newReport(o, int64(size), measured)
	if o.asJSON {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	return r.print(stdout)
}

// measure first runs each variant without timing it, to check its bytes and to count its system
// calls. Then it times all variants in turn.
func (o options) measure(ctx context.Context, chosen []copy.Variant, file string,
	stderr io.Writer) ([]copy.Measured, error) {
	trace := !o.noTrace
	if _, err := copy.Tracer(); trace && err != nil {
		fmt.Fprintln(stderr, "copy:", err)
		trace = false
	}
	measured := make([]copy.Measured, len(chosen))
	for i, v := range chosen {
		fmt.Fprintf(stderr, "%s: bytes and system calls\n", v.ID)
		measured[i].Variant = v
		if _, err := v.Run(ctx, copy.Options{File: file, Verify: true}); err != nil {
			return nil, err
		}
		if !trace {
			continue
		}
		traced, err := v.Run(ctx, copy.Options{File: file, Trace: true})
		if err != nil {
			return nil, fmt.Errorf("%w (--no-trace runs without strace)", err)
		}
		measured[i].Traced = &traced
	}
	for round := range o.rounds {
		for i, v := range chosen {
			fmt.Fprintf(stderr, "%s: round %d of %d\n", v.ID, round+1, o.rounds)
			timed, err := v.Run(ctx, copy.Options{File: file, Transfers: o.transfers})
			if err != nil {
				return nil, err
			}
			measured[i].Timed = append(measured[i].Timed, timed)
		}
	}
	return measured, nil
}
