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
	var refresh, asJSON bool
	cmd := &cobra.Command{
		Use:   "limits [flags] [PATH]",
		Short: "how fast could it be? what this machine's memory, page cache, page faults, disk and scheduler can do",
		Long: `limits prints what this machine can do at best, and what the storage below PATH (default:
the current folder) delivers: reading memory, copying from and mapping the page cache, page
faults, direct and buffered cold reads, system calls, opening files, and handing work from
thread to thread. Each figure is a median with its spread, the distance from the first to
the last decile as a share of the median; "noisy" marks a figure that scattered too much to
be relied on.

The figures are kept in the user's cache folder, and receipts compare runs with them. They
are measured again when the machine or the storage changed, after a week, or with
--refresh. Measuring takes a few seconds and wants a machine that does little else.`,
		Example: `  thresh limits                 this machine, and the storage of the current folder
  thresh limits /mnt/dumps      another storage
  thresh limits --refresh       measure again
  thresh limits --json | jq .memory_all`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "."
			if len(args) == 1 {
				path = args[0]
			}
			return limitsOf(cmd.Context(), c, path, refresh, asJSON)
		},
	}
	cmd.Flags().BoolVar(&refresh, "refresh", false, "measure again, whatever is kept")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the figures as a JSON object")
	return cmd
}

func limitsOf(ctx context.Context, c *console, path string, refresh, asJSON bool) error {
	step := func(string) {}
	if isTerminal(c.err) {
		step = func(s string) { fmt.Fprintf(c.err, "\r\x1b[Kmeasuring %s", s) }
	}
	l, err := thresh.MeasureLimits(ctx, path, refresh, step)
	if isTerminal(c.err) {
		fmt.Fprint(c.err, "\r\x1b[K")
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &exitError{exitInterrupted, errors.New("interrupted: nothing was measured")}
	case err != nil && l == nil:
		return &exitError{exitUsage, err}
	case err != nil: // measured, and could not be kept
		complain(c.err, err)
	}
	text := l.Text()
	if asJSON {
		b, err := json.MarshalIndent(l, "", "  ")
		if err != nil {
			return err
		}
		text = string(b) + "\n"
	}
	_, err = c.out.WriteString(text)
	return err
}
