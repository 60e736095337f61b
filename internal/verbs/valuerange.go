package verbs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/question"
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
func (s *countRun) histogramOfRange(ctx context.Context) (*thresh.Query, error) {
	f := s.flags
	conditions, err := f.selector.conditions()
	if err != nil {
		return nil, command.Exit(command.WrongUsage, err)
	}
	d := question.Bins{Number: f.bins}
	if d.Number == 0 {
		d.Number = binsDefault
	}
	if len(f.between) == 1 {
		if d.Low, d.High, err = bounds(f.between[0]); err != nil {
			return nil, command.Exit(command.WrongUsage, err)
		}
	} else if d.Low, d.High, err = s.valueRange(ctx); err != nil {
		return nil, err
	}
	q, err := thresh.Histogram(f.column(conditions), d)
	if err != nil {
		return nil, command.Exit(command.WrongUsage, err)
	}
	return q, nil
}

// valueRange returns the minimum and maximum over all inputs.
func (s *countRun) valueRange(ctx context.Context) (low, high string, err error) {
	for name, err := range s.tensors.others(s.Names()) {
		if err == nil && !s.rereadable(name) {
			return "", "", command.Exit(command.WrongUsage, command.Hint(
				fmt.Errorf("%s cannot be read twice, and the first pass finds the range of its values", name),
				"give the range with --between A,B, or the width of bins with --width W"))

		}
	}
	o := s.Options
	o.Receipt, o.Progress = false, nil
	callbacks := s.Callbacks()
	callbacks.Done = func(string, answer.Report, error) error { return nil } // the second pass reports what cannot be read
	total, err := thresh.CountAll(ctx, s.tensors.others(s.Names()), s.query, o.Scan(), callbacks)
	if err != nil {
		return "", "", err
	}
	return rangeOf(total.Stats, question.ValueType(s.flags.typ))
}

// rangeOf returns a range that a histogram of values with these statistics can divide.
func rangeOf(s *answer.Stats, typ question.ValueType) (low, high string, err error) {
	switch low, high = s.Min, s.Max; {
	case low == "":
		return "0", "1", nil // no values: any range does
	case strings.HasSuffix(low, "Inf") || strings.HasSuffix(high, "Inf"):
		return "", "", command.Exit(command.WrongUsage, command.Hint(
			errors.New("some values are infinite, so their range cannot be divided into bins"),
			"give a range with --between A,B"))

	case low == high && compare.TypeOf(typ).Float() && !compare.TypeOf(typ).Narrow():
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
	in, err := s.Open(name)
	if err != nil {
		return true // reported when it is opened to be counted
	}
	_, sized := in.Bytes()
	again := sized || in.Compressed()
	return in.Close() == nil && again
}
