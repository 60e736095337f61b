package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/thresh-dev/thresh"
)

// inTensors searches the tensors of a file, by ascending offset. Neighbours of one type are searched in
// one go: a model has hundreds of tensors, and many are small.
func (s *findRun) inTensors(ctx context.Context, f *tensorFile, err error) error {
	if err != nil {
		return s.inputError("", err)
	}
	defer f.Close() // only read from, so an error loses nothing
	s.tensors.seen = true
	s.tensors.notes(f)
	var done atomic.Int64
	o := s.options
	o.Progress = &done
	bar := s.bar(f.name, 0, &done, s.flags.all)
	defer bar.stop()
	left := o.Limit
	for rest := f.all; len(rest) > 0 && (o.Limit == 0 || left > 0); {
		n := neighbours(rest)
		found, err := s.inNeighbours(ctx, rest[:n], o, left)
		if err != nil {
			return err
		}
		if o.Limit > 0 {
			left -= found
		}
		rest = rest[n:]
	}
	return nil
}

// neighbours returns how many tensors, from the first on, lie next to each other and have one type.
func neighbours(all []namedTensor) int {
	n := 1
	for n < len(all) && all[n].typ == all[0].typ && all[n].Input == all[0].Input &&
		all[n].Offset == all[n-1].Offset+all[n-1].Length {
		n++
	}
	return n
}

// inNeighbours searches neighbours, and returns how many hits there were, at most limit.
func (s *findRun) inNeighbours(ctx context.Context, all []namedTensor, o thresh.Options, limit int64) (int64, error) {
	first, last := &all[0], &all[len(all)-1]
	if first.typ == "" {
		return 0, nil
	}
	conditions, possible, err := s.flags.conditionsFor(first.typ)
	if err != nil || !possible {
		return 0, err
	}
	query, err := thresh.Values(thresh.ValueColumn{Type: first.typ, Conditions: conditions})
	if err != nil {
		return 0, s.inputError("", fmt.Errorf("%s (%s): %w", first.Name(), first.typ, err))
	}
	o = first.Range(o)
	if o.Limit = limit; len(all) > 1 {
		length := last.Offset + last.Length - first.Offset
		o.Length = &length
	}
	if s.flags.explain || s.flags.dryRun {
		plan, err := thresh.Explain(first.Input, query, o)
		if err := s.printPlan(plan, err); err != nil || s.flags.dryRun {
			return 0, err
		}
	}
	report, err := thresh.Find(ctx, first.Input, query, o, func(hits []thresh.Hit) error {
		for len(hits) > 0 {
			for hits[0].Off >= first.Offset+first.Length {
				all = all[1:]
				first = &all[0]
			}
			n := 1
			for n < len(hits) && hits[n].Off < first.Offset+first.Length {
				n++
			}
			if err := s.hits(first, hits[:n]); err != nil {
				return err
			}
			hits = hits[n:]
		}
		return nil
	})
	return report.Hits, s.done(last.file, report, err)
}
