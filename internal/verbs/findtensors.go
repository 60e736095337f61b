package verbs

import (
	"context"
	"fmt"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/question"
)

// inTensors searches the tensors of a file, by ascending offset. Neighbours of one type are searched in
// one go: a model has hundreds of tensors, and many are small.
func (s *findRun) inTensors(ctx context.Context, f *tensorFile) error {
	left := s.Options.Limit
	for rest := f.all; len(rest) > 0 && (s.Options.Limit == 0 || left > 0); {
		n := neighbours(rest)
		found, err := s.inNeighbours(ctx, rest[:n], left)
		if err != nil {
			return err
		}
		if s.Options.Limit > 0 {
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
func (s *findRun) inNeighbours(ctx context.Context, all []namedTensor, limit int64) (int64, error) {
	first, last := &all[0], &all[len(all)-1]
	if first.typ == "" {
		return 0, nil
	}
	conditions, possible, err := s.flags.conditionsFor(first.typ)
	if err != nil || !possible {
		return 0, err
	}
	query, err := thresh.Values(question.Values{Type: first.typ, Conditions: conditions})
	if err != nil {
		return 0, fmt.Errorf("%s (%s): %w", first.Name(), first.typ, err)
	}
	o := s.Options
	o.Offset, o.Length = first.Range()
	if o.Limit = limit; len(all) > 1 {
		length := last.Offset + last.Length - first.Offset
		o.Length = &length
	}
	if s.Explaining() {
		if err := s.PrintPlan(thresh.Explain(first.Input, query, o)); err != nil || s.DryRun {
			return 0, err
		}
	}
	report, err := thresh.Find(ctx, first.Input, query, o, func(hits []answer.Hit) error {
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
