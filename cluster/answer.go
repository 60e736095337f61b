package cluster

import (
	"context"
	"fmt"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/search/count"
	"github.com/thresh-dev/thresh/internal/table"
	"github.com/thresh-dev/thresh/options"
)

// Answer is the answer to a question.
type Answer struct {
	Question *Question
	Inputs   []InputAnswer
	Total    run.Report // of Count, in all inputs
	Receipt  Receipt

	query *run.Query
	head  run.TableHead
	parts []*table.Part
	box   *mailbox
}

// InputAnswer is the answer for one input.
type InputAnswer struct {
	Name   string
	Report run.Report // of Count
	Hits   int64      // of Find; lines of Grep
	Lowest int64      // of Find without All, if there are Hits
	cells  int64
	bytes  int64 // of a cell
}

// Close removes what belongs to the answer.
func (a *Answer) Close() error { return a.box.Close() }

// take computes the answer from the result of all cells.
func (a *Answer) take(plan *Plan, result *Partial) (err error) {
	if a.Question.Verb == Table {
		return nil // see WriteTable
	}
	if a.Question.Verb == Count || a.Question.Verb == Find {
		if a.query, err = a.Question.query(); err != nil {
			return err
		}
	}
	for i, in := range plan.Inputs {
		p := result.input(i)
		answer := InputAnswer{Name: in.Name, Hits: p.Hits + p.Lines, Lowest: p.Lowest, cells: plan.cells(i),
			bytes: plan.CellBytes}
		if a.Question.Verb == Count {
			if answer.Report, err = a.query.Total(p.Counts); err != nil {
				return fmt.Errorf("%s: %w", in.Name, err)
			}
		}
		a.Inputs = append(a.Inputs, answer)
	}
	if a.Question.Verb == Count {
		counts := make([][]*count.Partial, len(plan.Inputs))
		for i := range plan.Inputs {
			counts[i] = result.input(i).Counts
		}
		a.Total, err = a.query.Total(counts...)
	}
	return err
}

// Hits calls visit with the hits of an input, in order. It is for Find with All.
func (a *Answer) Hits(input int, visit func(off, length int64) error) error {
	in := a.Inputs[input]
	filter := scan.Filter{Disjoint: a.query.Disjoint()}
	for cell := range in.cells {
		encoded, err := a.box.part(input, cell)
		if err != nil {
			return err
		}
		hits, err := decodeHits(encoded, cell*in.bytes)
		if err != nil {
			return fmt.Errorf("%s, cell %d: %w", in.Name, cell, err)
		}
		for _, h := range filter.Keep(hits) {
			if err := visit(h.Off, h.Len); err != nil {
				return err
			}
		}
	}
	return nil
}

// Lines calls visit with the lines of an input, in order and many at a time. It is for Grep.
func (a *Answer) Lines(input int, visit func(lines []byte) error) error {
	for cell := range a.Inputs[input].cells {
		lines, err := a.box.part(input, cell)
		if err == nil && len(lines) > 0 {
			err = visit(lines)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteTable writes the answers about a table.
func (a *Answer) WriteTable(ctx context.Context, out answer.Writer) (answer.TableReport, error) {
	return a.head.AnswerTable(ctx, a.Question.Table, a.parts, run.Options{Run: options.Run{MemoryBytes: mergeBytes}}, out)
}
