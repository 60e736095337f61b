package table

import (
	"errors"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// nthPlan is how certain records are collected.
type nthPlan struct {
	records []Span // as the user asked for them
	columns []int
	index   int // among the questions of this kind
}

func (q *query) newNth(ask *Question, resolve key.Resolve) (*nthPlan, error) {
	a := &nthPlan{records: ask.Records, index: len(q.nth)}
	for _, name := range ask.Columns {
		k, err := key.Parse(name, resolve, nil)
		if err != nil {
			return nil, fmt.Errorf("thresh.Records: %w", err)
		}
		if !k.IsColumn() {
			return nil, fmt.Errorf("thresh.Records: %s is not a column", name)
		}
		a.columns = append(a.columns, k.Column)
	}
	q.Want(a.columns...)
	for _, s := range ask.Records {
		q.lastAsked = max(q.lastAsked, s.Last)
	}
	return a, nil
}

// samplePlan is a sample of the matching records.
type samplePlan struct {
	columns []int
	heading []answer.Column
	n       int64
	seed    uint64
	index   int // among the samples
}

func (q *query) newSample(ask *Question, resolve key.Resolve) (*samplePlan, error) {
	columns, heading, err := q.selected("thresh.Sample", ask.Columns, nil, resolve)
	if err != nil {
		return nil, err
	}
	return &samplePlan{columns: columns, heading: heading, n: ask.Limit, seed: ask.Seed, index: len(q.samples)}, nil
}

// profilePlan describes every column. Smallest and greatest numbers, and how many different texts there are, are
// aggregates of one group; the rest is gathered beside it.
type profilePlan struct {
	numbers *groupPlan // min, max and distinct of each column
	columns int
}

func (q *query) newProfile() (*profilePlan, error) {
	switch {
	case len(q.Questions) > 1:
		return nil, errors.New("thresh.Columns must be the only question")
	case q.first.paths != nil:
		return nil, errors.New("thresh.Columns: lines of JSON may have any keys, so there is no list of columns")
	}
	var list []string
	for c := 1; c <= q.first.Fields; c++ {
		list = append(list, fmt.Sprintf("min(%d),max(%[1]d),distinct(%[1]d)", c))
	}
	a := &profilePlan{columns: q.first.Fields}
	if a.columns == 0 { // an empty table
		return a, nil
	}
	var err error
	a.numbers, err = q.newGroup(&Question{Kind: Group, Aggregates: strings.Join(list, ",")})
	if err == nil {
		q.groups = append(q.groups, a.numbers)
	}
	return a, err
}
