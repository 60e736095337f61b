package run

import (
	"context"
	"errors"

	"github.com/thresh-dev/thresh/internal/table/query"
)

// TableNeeds returns what an input begins with, and what of the sources that a specification joins with it must be in
// memory.
func TableNeeds(ctx context.Context, in *Input, spec query.Spec, o Options) (query.First, []query.Need, error) {
	t, err := newTableRun(spec, o)
	if err != nil {
		return query.First{}, nil, err
	}
	_, err = t.begin(ctx, in)
	if err == nil {
		err = t.run.Settle()
	}
	first, needs := t.run.First(), t.run.Needs()
	return first, needs, errors.Join(err, t.run.Close())
}

// Memory returns the bound on the memory of a run, and sets it.
func (o *Options) Memory() (int64, error) {
	err := errors.Join(o.check(), o.settleMemory(0))
	return o.MemoryBytes, err
}
