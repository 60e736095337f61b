package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/kernelbench"
	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/internal/output/outfile"
)

func newLimits() *command.Verb {
	f := new(limitsFlags)
	return &command.Verb{
		Name:  "limits",
		Usage: "[flags] [PATH]\n  thresh limits --kernels [flags] [NAME]",
		Short: "how fast could it be? what this machine's memory and disks can do",
		Long: `limits prints the best that this machine can do, and what the storage at PATH
(default: the current folder) delivers: reading memory, copying from and mapping
the page cache, page faults, direct and buffered cold reads, system calls,
opening files, and handing work from thread to thread. Each figure is a median
with its spread, the distance from the first to the last decile as a share of
the median. "noisy" marks a figure whose spread is too large to rely on.

Kept figures:
  The figures are kept in the user's cache folder, and receipts compare runs
  with them. They are measured again after a week, when the machine or the
  storage has changed, or with --refresh. Measuring takes a few seconds; the
  machine should be idle. If other programs keep it busy, limits says so, and
  keeps figures from before that are better, with their age.

Drawing:
  -o draws the figures as a roofline, with the last runs that printed a
  receipt: how fast each was, how fast its inner loop is on bytes in the cache,
  and the limits between the two.

Inner loops:
  --kernels measures the inner loops of the program instead, on one core with
  data in the L2 cache: the GB/s of each loop with each instruction set that
  can run here, and which variant is chosen. "-" means that there is no such
  variant. NAME selects the loops whose names begin with it. With --lengths,
  limits prints at which lengths from 1 byte to 64 KiB a variant is slower
  than portable code; --lengths=all prints the time of a call at every length.
  The environment variable THRESH_ISA narrows the choice of instruction sets,
  as in THRESH_ISA=avx2 or THRESH_ISA=-avx512. Naming one that cannot run on
  this machine is an error.`,
		Examples: `  thresh limits                 this machine, and the storage of this folder
  thresh limits /mnt/dumps      another storage
  thresh limits --refresh       measure again
  thresh limits --json | jq .memory_all
  thresh limits -o limits.svg   draw the limits and the last runs
  thresh limits --kernels       the inner loops with each instruction set
  thresh limits --kernels --lengths minify`,
		Common: "refresh kernels lengths json output",
		Flags: []command.Flag{
			{Name: "refresh", To: &f.refresh, Help: "measure again, even if figures are kept"},
			{Name: "kernels", To: &f.kernels, Help: "print the speed of the inner loops, with each instruction set"},
			{Name: "lengths", To: &f.lengths, Values: []string{"slower", "all"}, Omitted: "slower",
				Help: "with --kernels: print `WHICH` lengths: slower, where a variant is slower than portable code, or all"},
			{Name: "json", To: &f.json, Help: "print the figures as JSON"},
			{Name: "output", Short: "o", To: &f.output,
				Help: "draw the figures and the last runs into `FILE`, which ends with .svg"},
		},
		Conflicts: []command.Conflict{
			{Flags: "output", With: "kernels", Why: "-o draws the machine's limits"},
			{Flags: "output", With: "json", Why: "-o draws the figures as SVG"},
			{Flags: "refresh", With: "kernels", Why: "inner loops are always measured again"},
		},
		ArgsMax: 1,
		Run:     f.run,
	}
}

// limitsFlags holds the flags of limits, as typed.
type limitsFlags struct {
	refresh, kernels, json bool
	lengths, output        string
}

func (f *limitsFlags) run(ctx context.Context, c *command.Call) error {
	path, name := ".", ""
	if len(c.Args) == 1 {
		path, name = c.Args[0], c.Args[0]
	}
	switch {
	case f.output != "" && filepath.Ext(f.output) != ".svg":
		return fmt.Errorf("-o %s: the drawing is SVG; name a file that ends with .svg", f.output)
	case f.lengths != "" && !f.kernels:
		return errors.New("--lengths compares inner loops: give --kernels too")
	case f.lengths == "slower":
		return measure(ctx, c.Console, f.json, name, ofKernels(kernelbench.Compare, kernelbench.SlowerText))
	case f.lengths == "all":
		return measure(ctx, c.Console, f.json, name, ofKernels(kernelbench.Times, kernelbench.TimesText))
	case f.kernels:
		return measure(ctx, c.Console, f.json, name, ofKernels(kernelbench.Measure, kernelbench.Text))
	case f.output != "":
		return drawLimits(ctx, c.Console, path, f.refresh, f.output)
	}
	return measure(ctx, c.Console, f.json, path,
		func(ctx context.Context, path string, step func(string)) (*ceilings, error) {
			kept, err := limits.Current(ctx, path, f.refresh, step)
			return (*ceilings)(kept), err
		})
}

// ceilings are a machine's limits as measure prints them.
type ceilings limits.Ceilings

// Text returns the figures, with their units, as an aligned table for people.
func (c *ceilings) Text() string { return (*limits.Ceilings)(c).Text(time.Now()) }

// drawLimits writes the drawing of the limits and the last runs to a file, which appears when it is complete.
func drawLimits(ctx context.Context, c *command.Console, path string, refresh bool, name string) error {
	f, err := takeFigures(c, func(step func(string)) (*limits.Ceilings, error) {
		return limits.Current(ctx, path, refresh, step)
	})
	if err != nil {
		return err
	}
	to, err := outfile.Create(name)
	if err != nil {
		return command.Exit(command.WrongUsage, err)
	}
	runs, err := limits.LastRuns()
	if err = errors.Join(f.Roofline(to, runs, time.Now()), err); err != nil {
		return errors.Join(err, to.Abort())
	}
	return to.Commit(false)
}

// measure runs a measurement and prints its figures.
func measure[T any, F interface {
	*T
	Text() string
}](ctx context.Context, c *command.Console, asJSON bool, what string,
	take func(ctx context.Context, what string, step func(string)) (F, error)) error {
	f, err := takeFigures(c, func(step func(string)) (*T, error) {
		f, err := take(ctx, what, step)
		return f, err
	})
	if err != nil {
		return err
	}
	text := F(f).Text()
	if asJSON {
		b, err := json.MarshalIndent(f, "", "  ")
		if err != nil {
			return err
		}
		text = string(b) + "\n"
	}
	_, err = c.Out.WriteString(text)
	return err
}

// takeFigures runs a measurement, whose steps a terminal shows. An error together with figures means that they could
// not be kept: it is printed.
func takeFigures[T any](c *command.Console, take func(step func(string)) (*T, error)) (*T, error) {
	step := func(string) {}
	if command.IsTerminal(c.Err) {
		step = func(s string) { fmt.Fprintf(c.Err, "\r\x1b[Kmeasuring %s", s) }
	}
	f, err := take(step)
	if command.IsTerminal(c.Err) {
		fmt.Fprint(c.Err, "\r\x1b[K")
	}
	switch {
	case errors.Is(err, context.Canceled):
		return nil, command.Exit(command.Interrupted, errors.New("interrupted: nothing was measured"))
	case err != nil && f == nil:
		return nil, command.Exit(command.WrongUsage, err)
	case err != nil:
		command.Complain(c.Err, err)
	}
	return f, nil
}

// kernelFigures are what was measured of inner loops, and how it is printed.
type kernelFigures[R any] struct {
	rows []R
	text func([]R) string
}

// Text returns the figures as an aligned table for people.
func (k *kernelFigures[R]) Text() string { return k.text(k.rows) }

// MarshalJSON returns the figures as a list of objects.
func (k *kernelFigures[R]) MarshalJSON() ([]byte, error) {
	return json.Marshal(append([]R{}, k.rows...))
}

// ofKernels returns a function that measures the inner loops whose names begin with name, all of them if it is empty.
// Each answer is first compared with that of the plain variant; a different one is an error. Step is called with the
// name of each before it is measured.
func ofKernels[R any](measure func(context.Context, []kernel.Probe, func(string)) ([]R, error),
	text func([]R) string,
) func(ctx context.Context, name string, step func(string)) (*kernelFigures[R], error) {
	return func(ctx context.Context, name string, step func(string)) (*kernelFigures[R], error) {
		probes, err := kernelbench.Named(name)
		if err != nil {
			return nil, err
		}
		rows, err := measure(ctx, probes, step)
		if err != nil {
			return nil, err
		}
		return &kernelFigures[R]{rows, text}, nil
	}
}
