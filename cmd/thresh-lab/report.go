package main

import (
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/catalog"
	"github.com/thresh-dev/thresh/lab/report"
)

func newReport(c *console) *cobra.Command {
	output := "report.html"
	cmd := &cobra.Command{
		Use:   "report [flags] [FILE...]",
		Short: "write a page with figures, charts and verdicts",
		Long: `report writes one page that needs no network: the machine, the figures of all
variants beside the published ones, charts, and the claims with their verdicts.
A name that ends in .md gets Markdown instead. Several FILEs of "run -o FILE" put
machines side by side; without one, the last session counts.`,
		Example: `  thresh lab report -o report.html
  thresh lab report -o report.md
  thresh lab report zen4.json zen5.json -o both.html`,
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := load(c.folder, args)
			if err != nil {
				return err
			}
			return writeFile(output, func(w *os.File) error { return writeReport(w, output, catalog.All(), all) })
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", output, "the `FILE` to write: .html, or .md for Markdown")
	return cmd
}

// writeReport writes the report in the format that a file's name asks for.
func writeReport(w io.Writer, name string, experiments []*lab.Experiment, all []lab.Results) error {
	if strings.HasSuffix(strings.ToLower(name), ".md") {
		return report.Markdown(w, experiments, all)
	}
	return report.HTML(w, experiments, all)
}
