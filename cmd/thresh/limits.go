package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/output/outfile"
)

func newLimits(c *console) *cobra.Command {
	var refresh, kernels, asJSON bool
	var lengths, output string
	cmd := &cobra.Command{
		Use:   "limits [flags] [PATH]\n  thresh limits --kernels [flags] [NAME]",
		Short: "how fast could it be? what this machine's memory and disks can do",
		Long: `limits prints the best that this machine can do, and what the storage at PATH
(default: the current folder) delivers: reading memory, copying from and mapping
the page cache, page faults, direct and buffered cold reads, system calls,
opening files, and handing work from thread to thread. Each figure is a median
with its spread, the distance from the first to the last decile as a share of
the median. "noisy" marks a figure whose spread is too large to rely on.

The figures are kept in the user's cache folder, and receipts compare runs with
them. They are measured again after a week, when the machine or the storage has
changed, or with --refresh. Measuring takes a few seconds; the machine should be
idle. If other programs keep it busy, limits says so, and keeps figures from
before that are better, with their age.

-o draws the figures as a roofline, with the last runs that printed a receipt:
how fast each was, how fast its kernel is on bytes in the cache, and the limits
between the two.

--kernels measures the inner loops of the program instead, on one core with data
in the L2 cache: the GB/s of each kernel with each instruction set that can
run here, which variant is chosen, and where it comes from: "assembly", or
"archsimd" in a build with GOEXPERIMENT=simd. "-" means that there is no such
variant. NAME selects the kernels whose names begin with it. With --lengths,
limits prints at which lengths from 1 byte to 64 KiB a variant is slower than
portable code; --lengths=all prints the time of a call at every length. The
environment variable THRESH_ISA narrows the choice of instruction sets, as in
THRESH_ISA=avx2 or THRESH_ISA=-avx512. Naming one that cannot run on this
machine is an error.`,
		Example: `  thresh limits                 this machine, and the storage of this folder
  thresh limits /mnt/dumps      another storage
  thresh limits --refresh       measure again
  thresh limits --json | jq .memory_all
  thresh limits -o limits.svg   draw the limits and the last runs
  thresh limits --kernels       each kernel with each instruction set
  thresh limits --kernels --lengths minify`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, name := ".", ""
			if len(args) == 1 {
				path, name = args[0], args[0]
			}
			switch {
			case output != "" && kernels:
				return &exitError{exitUsage,
					errors.New("-o and --kernels contradict each other: -o draws the machine's limits")}
			case output != "" && asJSON:
				return &exitError{exitUsage, errors.New("-o and --json contradict each other: -o draws the figures as SVG")}
			case output != "" && filepath.Ext(output) != ".svg":
				return &exitError{exitUsage, fmt.Errorf("-o %s: the drawing is SVG; name a file that ends with .svg", output)}
			case lengths != "" && !kernels:
				return &exitError{exitUsage, errors.New("--lengths compares kernels: give --kernels too")}
			case lengths == "slower" && (name == "all" || name == "slower"):
				err := fmt.Errorf("there is no kernel named %[1]s: write --lengths=%[1]s, with an equals sign", name)
				return &exitError{exitUsage, err}
			case refresh && kernels:
				return &exitError{exitUsage,
					errors.New("--refresh and --kernels contradict each other: kernels are always measured again")}
			case lengths == "slower":
				return measure(cmd.Context(), c, asJSON, name, thresh.CompareKernels)
			case lengths == "all":
				return measure(cmd.Context(), c, asJSON, name, thresh.TimeKernels)
			case lengths != "":
				return &exitError{exitUsage, fmt.Errorf("--lengths=%s is unknown (known: slower, all)", lengths)}
			case kernels:
				return measure(cmd.Context(), c, asJSON, name, thresh.Kernels)
			}
			limits := func(ctx context.Context, path string, step func(string)) (*thresh.Limits, error) {
				return thresh.MeasureLimits(ctx, path, refresh, step)
			}
			if output != "" {
				return drawLimits(cmd.Context(), c, path, refresh, output)
			}
			return measure(cmd.Context(), c, asJSON, path, limits)
		},
	}
	cmd.Flags().BoolVar(&refresh, "refresh", false, "measure again, even if figures are kept")
	cmd.Flags().BoolVar(&kernels, "kernels", false, "print the speed of each kernel with each instruction set")
	cmd.Flags().StringVar(&lengths, "lengths", "",
		"with --kernels: print `WHICH` lengths: slower, where a variant is slower than portable code, or all")
	cmd.Flags().Lookup("lengths").NoOptDefVal = "slower"
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the figures as JSON")
	cmd.Flags().StringVarP(&output, "output", "o", "",
		"draw the figures and the last runs into `FILE`, which ends with .svg")
	return cmd
}

// drawLimits writes the drawing of the limits to a file, which appears when it is complete.
func drawLimits(ctx context.Context, c *console, path string, refresh bool, name string) error {
	f, err := takeFigures(c, func(step func(string)) (*thresh.Limits, error) {
		return thresh.MeasureLimits(ctx, path, refresh, step)
	})
	if err != nil {
		return err
	}
	to, err := outfile.Create(name)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if err := f.Roofline(to); err != nil {
		return errors.Join(err, to.Abort())
	}
	return to.Commit(false)
}

// measure runs a measurement and prints its figures.
func measure[T any, F interface {
	*T
	Text() string
}](ctx context.Context, c *console, asJSON bool, what string,
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
	_, err = c.out.WriteString(text)
	return err
}

// takeFigures runs a measurement, whose steps a terminal shows. An error together with figures means that they could
// not be kept: it is printed.
func takeFigures[T any](c *console, take func(step func(string)) (*T, error)) (*T, error) {
	step := func(string) {}
	if isTerminal(c.err) {
		step = func(s string) { fmt.Fprintf(c.err, "\r\x1b[Kmeasuring %s", s) }
	}
	f, err := take(step)
	if isTerminal(c.err) {
		fmt.Fprint(c.err, "\r\x1b[K")
	}
	switch {
	case errors.Is(err, context.Canceled):
		return nil, &exitError{exitInterrupted, errors.New("interrupted: nothing was measured")}
	case err != nil && f == nil:
		return nil, &exitError{exitUsage, err}
	case err != nil:
		complain(c.err, err)
	}
	return f, nil
}
