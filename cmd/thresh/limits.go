package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh"
)

func newLimits(c *console) *cobra.Command {
	var refresh, kernels, asJSON bool
	var lengths string
	cmd := &cobra.Command{
		Use:   "limits [flags] [PATH]\n  thresh limits --kernels [flags] [NAME]",
		Short: "how fast could it be? what this machine's memory, page cache, page faults, disk and scheduler can do",
		Long: `limits prints what this machine can do at best, and what the storage below PATH (default:
the current folder) delivers: reading memory, copying from and mapping the page cache, page
faults, direct and buffered cold reads, system calls, opening files, and handing work from
thread to thread. Each figure is a median with its spread, the distance from the first to
the last decile as a share of the median; "noisy" marks a figure that scattered too much to
be relied on.

The figures are kept in the user's cache folder, and receipts compare runs with them. They
are measured again when the machine or the storage changed, after a week, or with
--refresh. Measuring takes a few seconds and wants a machine that does little else.

With --kernels it measures the inner loops of the program instead, on one core, in the
second-level cache: how many GB/s each makes in each instruction set that may run here, and
which is chosen, and where that comes from: "assembly", or "archsimd" in a build with
GOEXPERIMENT=simd. "-" stands where there is no such form. NAME is how the names of those
begin that are asked for. With --lengths too it tells at which lengths, from a byte to
64 KiB, a form is slower than portable code; --lengths=all tells what a call takes at every
length. The environment variable THRESH_ISA narrows the choice, as in THRESH_ISA=avx2 or
THRESH_ISA=-avx512; to name what cannot run here is an error.`,
		Example: `  thresh limits                 this machine, and the storage of the current folder
  thresh limits /mnt/dumps      another storage
  thresh limits --refresh       measure again
  thresh limits --json | jq .memory_all
  thresh limits --kernels       what each instruction set is worth
  thresh limits --kernels --lengths minify`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, name := ".", ""
			if len(args) == 1 {
				path, name = args[0], args[0]
			}
			switch {
			case lengths != "" && !kernels:
				return &exitError{exitUsage, errors.New("--lengths is about kernels: give --kernels too")}
			case lengths == "slower" && (name == "all" || name == "slower"):
				err := fmt.Errorf("no kernel is called %[1]s: write --lengths=%[1]s, with the equals sign", name)
				return &exitError{exitUsage, err}
			case refresh && kernels:
				return &exitError{exitUsage, errors.New("--refresh: speeds of kernels are always measured")}
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
			return measure(cmd.Context(), c, asJSON, path, limits)
		},
	}
	cmd.Flags().BoolVar(&refresh, "refresh", false, "measure again, whatever is kept")
	cmd.Flags().BoolVar(&kernels, "kernels", false, "the speed of each kernel in each instruction set")
	cmd.Flags().StringVar(&lengths, "lengths", "",
		"with --kernels: `WHICH` lengths, those where a form is slower than portable code, or all")
	cmd.Flags().Lookup("lengths").NoOptDefVal = "slower"
	cmd.Flags().BoolVar(&asJSON, "json", false, "the figures as a JSON object")
	return cmd
}

// measure measures figures of what, and prints them. Figures that come with an error were
// measured, and could not be kept.
func measure[T any, F interface {
	*T
	Text() string
}](ctx context.Context, c *console, asJSON bool, what string,
	figures func(ctx context.Context, what string, step func(string)) (F, error)) error {
	step := func(string) {}
	if isTerminal(c.err) {
		step = func(s string) { fmt.Fprintf(c.err, "\r\x1b[Kmeasuring %s", s) }
	}
	f, err := figures(ctx, what, step)
	if isTerminal(c.err) {
		fmt.Fprint(c.err, "\r\x1b[K")
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &exitError{exitInterrupted, errors.New("interrupted: nothing was measured")}
	case err != nil && f == nil:
		return &exitError{exitUsage, err}
	case err != nil:
		complain(c.err, err)
	}
	text := f.Text()
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
