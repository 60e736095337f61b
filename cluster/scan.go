package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
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
	grep    grep.Options
}

func newScanner(p *Plan, sources *sources, driver *caller) (s *scanner, err error) {
	s = &scanner{plan: p, sources: sources, driver: driver}
	switch p.Question.Verb {
	case Count, Find:
		s.query, err = p.Question.query()
	case Grep:
		s.lines, s.grep, err = p.Question.lines()
	}
	return s, err
}

// cell scans a cell and returns its result. From is the first cell of the worker's range.
func (s *scanner) cell(ctx context.Context, c Cell, from int64) (*Partial, error) {
	p := &Partial{Cells: 1, Bytes: c.End - c.Off}
	known := s.plan.Inputs[c.Input]
	if s.plan.Question.Verb == Find && !s.plan.Question.All {
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
		}
		return report.Receipt, err
	case Find:
		return s.find(ctx, in, c, o, p)
	case Grep:
		return s.grepLines(ctx, in, c, o, p)
	}
	part, report, err := s.plan.Head.TablePart(ctx, in, c.Input, s.plan.state(c), s.plan.Question.Table, o)
	if err == nil {
		p.Tables = append(p.Tables, part)
	}
	return report.Receipt, err
}

// find hands in the hits that begin in a cell, or tells the driver the first one.
func (s *scanner) find(ctx context.Context, in *run.Input, c Cell, o run.Options, p *Partial) (receipt.Receipt, error) {
	to := p.input(c.Input)
	var hits []byte
	if !s.plan.Question.All {
		o.Limit = 1
	}
	report, err := run.FindPart(ctx, in, s.query, o, func(found []answer.Hit) error {
		if to.Hits == 0 && len(found) > 0 {
			to.Lowest = found[0].Off
		}
		to.Hits += int64(len(found))
		for _, h := range found {
			hits = binary.AppendVarint(binary.AppendVarint(hits, h.Off-c.Off), h.Len)
		}
		return nil
	})
	if err != nil || to.Hits == 0 {
		return report.Receipt, err
	}
	if s.plan.Question.All {
		return report.Receipt, s.driver.handIn(ctx, c, hits)
	}
	return report.Receipt, s.driver.found(ctx, c.Input, to.Lowest)
}

// grepLines hands in the selected lines that begin in a cell. Lines do not depend on each other, and so the
// library searches the range from the first line of the cell to the first line behind it.
func (s *scanner) grepLines(ctx context.Context, in *run.Input, c Cell, o run.Options,
	p *Partial) (receipt.Receipt, error) {
	if o.Part != nil {
		o.Part = nil
		from, err := lineStart(ctx, in, c.Off, c.End)
		if err != nil || from == c.End {
			return receipt.Receipt{}, err
		}
		to, err := lineStart(ctx, in, c.End, s.plan.Inputs[c.Input].Bytes)
		if err != nil {
			return receipt.Receipt{}, err
		}
		length := to - from
		o.Offset, o.Length = from, &length
	}
	var out bytes.Buffer
	report, err := run.Grep(ctx, in, s.lines, &out, s.grep, o)
	if err != nil {
		return report.Receipt, err
	}
	if len(report.Unread) > 0 {
		return report.Receipt, &report.Unread[0]
	}
	p.input(c.Input).Lines = report.Lines
	if out.Len() > 0 {
		err = s.driver.handIn(ctx, c, out.Bytes())
	}
	return report.Receipt, err
}

// lineStart returns where the first line begins at or after off; end if none begins before it.
func lineStart(ctx context.Context, in *run.Input, off, end int64) (int64, error) {
	if off == 0 || off >= end {
		return min(off, end), nil
	}
	b := make([]byte, min(lineBytes, end-off+1))
	for at := off - 1; at < end; {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		part := b[:min(int64(len(b)), end-at)]
		n, err := in.ReadAt(part, at)
		if i := bytes.IndexByte(part[:n], '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
		if at += int64(n); n < len(part) {
			return 0, fmt.Errorf("read %s at %d: %w", in.Name(), at, err)
		}
	}
	return end, nil
}

// lineBytes is how much is read to look for the end of a line.
const lineBytes = 64 << 10
