package verbs

import (
	"context"
	"fmt"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// inTensors counts in each tensor of a file.
func (s *countRun) inTensors(ctx context.Context, f *tensorFile) error {
	defer func() { s.out.tensor = nil }()
	for i := range f.all {
		t := &f.all[i]
		if t.typ == "" {
			continue
		}
		s.out.tensor = t
		o := s.Options
		o.Offset, o.Length = t.Range()
		if err := s.inTensor(ctx, t, o); err != nil {
			return err
		}
	}
	return nil
}

// inTensor counts in one tensor.
func (s *countRun) inTensor(ctx context.Context, t *namedTensor, o options.Find) error {
	conditions, possible, err := s.flags.conditionsFor(t.typ)
	if err != nil {
		return err
	}
	if !possible && s.DryRun {
		return nil
	}
	if !possible {
		return s.done(t.Name(), s.nothing(), nil)
	}
	query, err := s.queryFor(ctx, t, question.Values{Type: t.typ, Conditions: conditions}, o)
	if err != nil {
		return fmt.Errorf("%s (%s): %w", t.Name(), t.typ, err)
	}
	if s.Explaining() {
		if err := s.PrintPlan(thresh.ExplainCount(t.Input, query, o.Scan())); err != nil || s.DryRun {
			return err
		}
	}
	report, err := thresh.Count(ctx, t.Input, query, o.Scan())
	return s.done(t.Name(), report, err)
}

// nothing is the report of values that cannot occur, such as NaN among integers.
func (s *countRun) nothing() answer.Report {
	r := answer.Report{Complete: true}
	switch {
	case s.flags.statistics:
		r.Stats = &answer.Stats{}
	case s.flags.histogram:
		r.Histogram = &answer.Histogram{}
	}
	return r
}

// queryFor returns the question about the values of a tensor. A histogram may need a first pass, which
// finds their range.
func (s *countRun) queryFor(
	ctx context.Context, t *namedTensor, c question.Values, o options.Find,
) (*thresh.Query, error) {
	f := s.flags
	switch {
	case f.statistics:
		return thresh.Statistics(c)
	case f.histogram && !f.needsRange(string(t.typ)):
		return thresh.Histogram(c, question.Bins{Width: f.width})
	case !f.histogram:
		return thresh.Values(c)
	}
	d := question.Bins{Number: f.bins}
	if d.Number == 0 {
		d.Number = binsDefault
	}
	if len(f.between) == 1 {
		var err error
		if d.Low, d.High, err = bounds(f.between[0]); err != nil {
			return nil, err
		}
		return thresh.Histogram(c, d)
	}
	statistics, err := thresh.Statistics(c)
	if err != nil {
		return nil, err
	}
	o.Receipt, o.Progress = false, nil
	report, err := thresh.Count(ctx, t.Input, statistics, o.Scan())
	if err != nil {
		return nil, err
	}
	if d.Low, d.High, err = rangeOf(report.Stats, t.typ); err != nil {
		return nil, err
	}
	return thresh.Histogram(c, d)
}
