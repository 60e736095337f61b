package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/receipt"
)

// scanner scans cells of a plan with all cores of the machine.
type scanner struct {
	plan    *Plan
	sources *sources
	driver  *caller
	query   *run.Query
	lines   *grep.Query
}

func newScanner(p *Plan, sources *sources, driver *caller) (s *scanner, err error) {
	s = &scanner{plan: p, sources: sources, driver: driver}
	switch p.Question.Verb {
	case Count, Find:
		s.query, err = p.Question.Asked.Query()
	case Grep:
		s.lines, err = grep.Compile(p.Question.Lines)
	}
	return s, err
}

// cell scans a cell and returns its result. From is the first cell of the worker's range.
func (s *scanner) cell(ctx context.Context, c Cell, from int64) (*Partial, error) {
	p := &Partial{Cells: 1, Bytes: c.End - c.Off}
	known := s.plan.Inputs[c.Input]
	if s.plan.Question.Verb == Find && s.plan.Question.Limit == 1 {
		if lowest, err := s.driver.lowest(ctx, c.Input); err != nil || lowest < c.Off {
			return p, err
		}
	}
	in, err := s.sources.reopen(ctx, known)
	if err != nil {
		return nil, err
	}
	o := run.Options{Run: options.Run{Workers: runtime.GOMAXPROCS(0),
		Receipt: c.Number == from && p.Bytes >= receiptBytesMin}}
	if !known.Whole {
		o.Part = &source.Range{Off: c.Off, End: c.End}
	}
	began := time.Now()
	receipt, err := s.ask(ctx, in, c, o, p)
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, fmt.Errorf("%s, bytes %d to %d: %w", known.Name, c.Off, c.End, err)
	}
	return p, s.driver.done(ctx, Done{Cell: c, From: from, Bytes: p.Bytes, Seconds: time.Since(began).Seconds(),
		Wall: string(receipt.Wall)})
}

// receiptBytesMin is the size from which a cell has a receipt, if it is the first of its range: reading the counters
// of the system takes a millisecond.
const receiptBytesMin = 16 << 20

// ask asks the question about a cell.
func (s *scanner) ask(ctx context.Context, in *run.Input, c Cell, o run.Options, p *Partial) (receipt.Receipt, error) {
	switch s.plan.Question.Verb {
	case Count:
		part, report, err := run.CountPart(ctx, in, s.query, o)
		if err == nil {
			p.input(c.Input).Counts = append(p.input(c.Input).Counts, part)
			s.scanned(c, report, p)
		}
		return report.Receipt, err
	case Find:
		return s.find(ctx, in, c, o, p)
	case Grep:
		return s.grepLines(ctx, in, c, o)
	}
	part, report, err := s.plan.Head.TablePart(ctx, in, c.Input, s.plan.state(c), s.plan.Question.Spec.query(), o)
	if err == nil {
		p.Tables = append(p.Tables, part)
	}
	return report.Receipt, err
}

// scanned says how much there was in an input whose content has no known size.
func (s *scanner) scanned(c Cell, r run.Report, p *Partial) {
	if s.plan.Inputs[c.Input].Whole {
		p.input(c.Input).Scanned = r.Bytes + r.Skipped
	}
}

// find hands in the hits that begin in a cell, and tells the driver the first one if only that is wanted.
func (s *scanner) find(ctx context.Context, in *run.Input, c Cell, o run.Options, p *Partial) (receipt.Receipt, error) {
	var hits []byte
	lowest := int64(-1)
	if o.Limit = s.plan.Question.Limit; o.Limit > 1 && s.query.Disjoint() {
		o.Limit = 0 // which of them overlap is not known yet
	}
	report, err := run.FindPart(ctx, in, s.query, o, func(found []answer.Hit) error {
		if lowest < 0 && len(found) > 0 {
			lowest = found[0].Off
		}
		for _, h := range found {
			hits = binary.AppendVarint(binary.AppendVarint(hits, h.Off-c.Off), h.Len)
		}
		return nil
	})
	s.scanned(c, report, p)
	if err == nil && lowest >= 0 {
		err = s.driver.handIn(ctx, c, hits)
	}
	if err == nil && lowest >= 0 && s.plan.Question.Limit == 1 {
		err = s.driver.found(ctx, c.Input, lowest)
	}
	return report.Receipt, err
}

// grepLines hands in the selected lines that begin in a cell, or if it is all of the input, what is printed of them.
func (s *scanner) grepLines(ctx context.Context, in *run.Input, c Cell, o run.Options) (receipt.Receipt, error) {
	var found foundLines
	var report answer.GrepReport
	var err error
	spec := s.plan.Question.Print
	if s.plan.cells(c.Input) == 1 {
		o.Part = nil
		if spec.Name != "" {
			spec.Name = run.PrintedName(s.plan.Inputs[c.Input].Name)
		}
		var out bytes.Buffer
		report, err = run.Grep(ctx, in, s.lines, &out, spec, o)
		found.Output = out.Bytes()
	} else {
		found.Part, report, err = run.GrepPart(ctx, in, s.lines, spec, o)
	}
	switch {
	case err != nil:
		return report.Receipt, err
	case len(report.Unread) > 0:
		return report.Receipt, &report.Unread[0]
	}
	to := &found.Report
	to.Lines, to.Matches, to.Binary, to.Bytes = report.Lines, report.Matches, report.Binary, report.Bytes
	to.Written, to.Counts = report.Written, report.Counts
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(found); err != nil {
		return report.Receipt, fmt.Errorf("encode what was found: %w", err)
	}
	return report.Receipt, s.driver.handIn(ctx, c, b.Bytes())
}
