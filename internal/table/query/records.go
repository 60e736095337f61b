package query

import (
	"errors"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// NthPlan is how certain records are collected.
type NthPlan struct {
	Records []Span // as the user asked for them
	Columns []int
	Index   int // among the questions of this kind
}

func (q *Query) newNth(ask *Question, resolve key.Resolve) (*NthPlan, error) {
	a := &NthPlan{Records: ask.Records, Index: len(q.Nth)}
	for _, name := range ask.Columns {
		k, err := key.Parse(name, resolve, nil)
		if err != nil {
			return nil, fmt.Errorf("thresh.Records: %w", err)
		}
		if !k.IsColumn() {
			return nil, fmt.Errorf("thresh.Records: %s is not a column", name)
		}
		a.Columns = append(a.Columns, k.Column)
	}
	q.Want(a.Columns...)
	for _, s := range ask.Records {
		q.LastAsked = max(q.LastAsked, s.Last)
	}
	return a, nil
}

// SamplePlan is a sample of the matching records.
type SamplePlan struct {
	Columns []int
	Heading []answer.Column
	N       int64
	Seed    uint64
	Index   int // among the samples
}

func (q *Query) newSample(ask *Question, resolve key.Resolve) (*SamplePlan, error) {
	columns, heading, err := q.selected("thresh.Sample", ask.Columns, nil, resolve)
	if err != nil {
		return nil, err
	}
	return &SamplePlan{Columns: columns, Heading: heading, N: ask.Limit, Seed: ask.Seed, Index: len(q.Samples)}, nil
}

// ProfilePlan describes every column. Smallest and greatest numbers, and how many different texts there are, are
// aggregates of one group; the rest is gathered beside it.
type ProfilePlan struct {
	Numbers *GroupPlan // min, max and distinct of each column
	Columns int
}

func (q *Query) newProfile() (*ProfilePlan, error) {
	switch {
	case len(q.Questions) > 1:
		return nil, errors.New("thresh.Columns must be the only question")
	case q.First.Paths != nil:
		return nil, errors.New("thresh.Columns: lines of JSON may have any keys, so there is no list of columns")
	}
	var list []string
	for c := 1; c <= q.First.Fields; c++ {
		list = append(list, fmt.Sprintf("min(%d),max(%[1]d),distinct(%[1]d)", c))
	}
	a := &ProfilePlan{Columns: q.First.Fields}
	if a.Columns == 0 { // an empty table
		return a, nil
	}
	var err error
	a.Numbers, err = q.newGroup(&Question{Kind: Group, Aggregates: strings.Join(list, ",")})
	if err == nil {
		q.Groups = append(q.Groups, a.Numbers)
	}
	return a, err
}
