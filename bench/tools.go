package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// plots are what is drawn of a record: the README shows the first one, the bench's README both.
var plots = []struct {
	file string
	draw func(io.Writer, *report) error
}{{"bench/rates.svg", plotRates}, {"bench/ratios.svg", plot}}

// tool runs "compare A B" and "plot DIR", which work on reports and measure nothing. It
// reports false where args are for a run of the bench.
func tool(args []string, stdout io.Writer) (ran bool, err error) {
	switch {
	case len(args) == 0:
		return false, nil
	case args[0] == "compare" && len(args) == 3:
		a, err := loadReport(args[1])
		b, err2 := loadReport(args[2])
		if err := errors.Join(err, err2); err != nil {
			return true, err
		}
		return true, diff(stdout, a, b)
	case args[0] == "compare":
		return true, errors.New("usage: bench compare A B: folders in " + recordFolder + ", or reports in out")
	case args[0] == "plot" && len(args) == 2:
		for _, p := range plots {
			err = errors.Join(err, plotTo(stdout, args[1], p.file, p.draw))
		}
		return true, err
	case args[0] == "plot":
		return true, errors.New("usage: bench plot DIR: draws the rates and the ratios of a record as SVG")
	}
	return false, nil
}

// plotTo draws the report at from into the file to.
func plotTo(stdout io.Writer, from, to string, draw func(io.Writer, *report) error) error {
	r, err := loadReport(from)
	if err != nil {
		return err
	}
	var svg bytes.Buffer
	if err := draw(&svg, r); err != nil {
		return err
	}
	if err := os.WriteFile(to, svg.Bytes(), 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s drawn from %s\n", to, filepath.Clean(from))
	return err
}
