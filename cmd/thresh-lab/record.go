package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/catalog"
	"github.com/thresh-dev/thresh/lab/report"
)

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
