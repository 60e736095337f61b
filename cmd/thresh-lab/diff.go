package main

import (
	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/lab/report"
)

func newDiff(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "diff A B",
		Short: "compare the ratios of two results, case by case",
		Long: `diff puts what "run peers" measured twice side by side, with the quotient of the
medians. Its spread is the widest that the rounds of both allow; "better" and
"WORSE" stand where 1 is outside of it. Only ratios are compared: seconds of two
runs say nothing about each other.`,
		Example: `  thresh lab diff before.json after.json`,
		Args:    cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			both, err := load(c.folder, args)
			if err != nil {
				return err
			}
			return report.Diff(c.out, both[0], both[1])
		},
	}
}
