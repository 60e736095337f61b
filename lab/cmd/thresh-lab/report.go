package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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

func newRecord(c *console) *cobra.Command {
	folder := "."
	cmd := &cobra.Command{
		Use:   "record [flags] [FILE]",
		Short: "keep what \"run peers\" measured: a page, two pictures, and every ratio",
		Long: `record writes what comparisons with other programs measured into a folder:
README.md, with the method and all figures, ratios.svg and rates.svg, and
peers.json, which has the ratio of every round. It names the kind of machine, and
never the machine itself. FILE is what "run -o FILE" wrote; without one, the last
session counts.`,
		Example: `  thresh lab record -o docs/peers`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := load(c.folder, args)
			if err != nil {
				return err
			}
			if all[0].Quick {
				return errors.New("figures of --quick are not kept")
			}
			return keepRecord(folder, all[0])
		},
	}
	cmd.Flags().StringVarP(&folder, "output", "o", folder, "the `FOLDER` to write into")
	return cmd
}

// keepRecord writes the files of a record.
func keepRecord(folder string, r lab.Results) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, write := range map[string]func(w io.Writer) error{
		"README.md":  func(w io.Writer) error { return report.Peers(w, catalog.All(), r) },
		"ratios.svg": func(w io.Writer) error { return report.Ratios(w, r) },
		"rates.svg":  func(w io.Writer) error { return report.Rates(w, r) },
		"peers.json": func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(r)
		},
	} {
		if err := writeFile(filepath.Join(folder, name), func(f *os.File) error { return write(f) }); err != nil {
			return fmt.Errorf("record: %w", err)
		}
	}
	return nil
}
