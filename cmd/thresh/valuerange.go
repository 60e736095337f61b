package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh"
)

// binsDefault is the number of bins of a range, except the range of bytes.
const binsDefault = 16

// needsRange reports whether the histogram divides a range of values. It does not if its bins
// have a given width, or if there is one bin for each byte value.
func (f *countFlags) needsRange(typ string) bool {
	bytes := typ == "" || typ == "u8" || typ == "i8"
	return f.width == "" && (f.bins > 0 || !bytes)
}

// histogramOfRange returns the query for a histogram that divides a range: the one given by
// --between, or the range of the selected values, which takes a first pass to find.
func (s *countRun) histogramOfRange(cmd *cobra.Command, args []string) (*thresh.Query, error) {
	f := s.flags
	conditions, err := f.selector.conditions()
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	d := thresh.Bins{Number: f.bins}
	if d.Number == 0 {
		d.Number = binsDefault
	}
	if len(f.between) == 1 {
		if d.Low, d.High, err = bounds(f.between[0]); err != nil {
			return nil, &exitError{exitUsage, err}
		}
	} else if d.Low, d.High, err = s.valueRange(cmd, args); err != nil {
		return nil, err
	}
	q, err := thresh.Histogram(f.column(conditions), d)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return q, nil
}

// valueRange returns the minimum and maximum over all inputs.
func (s *countRun) valueRange(cmd *cobra.Command, args []string) (low, high string, err error) {
	for name, err := range s.tensors.others(s.list(args).Files()) {
		if err == nil && !s.rereadable(name) {
			return "", "", &exitError{exitUsage, &hintedError{
				fmt.Errorf("%s cannot be read twice, and the first pass finds the range of its values", name),
				"give the range with --between A,B, or the width of bins with --width W"}}
		}
	}
	o := s.options
	o.Receipt, o.Progress = false, nil
	total, err := thresh.CountAll(cmd.Context(), s.tensors.others(s.list(args).Files()), s.query, o,
		thresh.Visitor{Remote: s.openRemote, Raw: s.flags.noDecompress, Archives: s.flags.recursive,
			// The second pass reports what cannot be opened or read.
			Done: func(string, thresh.Report, error) error { return nil }})
	if err != nil {
		return "", "", err
	}
	return rangeOf(total.Stats, thresh.ValueType(s.flags.typ))
}

// rangeOf returns a range that a histogram of values with these statistics can divide.
func rangeOf(s *thresh.Stats, typ thresh.ValueType) (low, high string, err error) {
	switch low, high = s.Min, s.Max; {
	case low == "":
		return "0", "1", nil // no values: any range does
	case strings.HasSuffix(low, "Inf") || strings.HasSuffix(high, "Inf"):
		return "", "", &exitError{exitUsage, &hintedError{
			errors.New("some values are infinite, so their range cannot be divided into bins"),
			"give a range with --between A,B"}}
	case low == high && typ.Has(thresh.IsNaN) && typ.Bytes() > 2:
		return widen(high)
	}
	return low, high, nil
}

// widen returns a range around a single value, because an empty range has no bins. The range
// begins with the value, or ends with it if it is too large for a range above it.
func widen(value string) (low, high string, err error) {
	v, err := strconv.ParseFloat(value, 64)
	step := max(1, math.Abs(v)*1e-3)
	if v+step > math.MaxFloat32 { // the largest f32, the narrower of the types
		return strconv.FormatFloat(v-step, 'g', -1, 64), value, err
	}
	return value, strconv.FormatFloat(v+step, 'g', -1, 64), err
}

// rereadable reports whether an input can be read more than once.
func (s *countRun) rereadable(name string) bool {
	if name == "-" {
		return false
	}
	in, err := s.open(name)
	if err != nil {
		return true // reported when it is opened to be counted
	}
	_, sized := in.Bytes()
	again := sized || in.Compressed()
	return in.Close() == nil && again
}
