package query

import (
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/filter"
)

// Scope is the records that meet a filter of questions, Question.Where. Questions with the same filter have one scope,
// and number columns of their own: what is no number is counted where it is looked at.
type Scope struct {
	where  string
	Filter *filter.Filter // nil for all records of the pass

	derived []int // columns that it uses
}

// PassFilter stands for the scope of all records that are read: it has the filter of the pass.
const PassFilter = -1

// enter returns the index of the scope of a question, and has the questions that follow be about it.
func (q *Query) enter(where string) (i int, err error) {
	q.asking = slices.IndexFunc(q.Scopes, func(s Scope) bool { return s.where == where })
	if q.asking >= 0 {
		return q.asking, nil
	}
	s := Scope{where: where}
	passed := q.touched
	if q.touched = nil; where != "" {
		if s.Filter, err = filter.Parse(where, q.scope()); err != nil {
			return 0, fmt.Errorf("TableSpec.Where: %w", err)
		}
		q.Want(s.Filter.Columns()...)
	}
	s.derived, q.touched = q.touched, passed
	q.asking = len(q.Scopes)
	q.Scopes = append(q.Scopes, s)
	return q.asking, nil
}

// UsesOf returns what a question needs the numbers of a column for; what any needs them for if it is AllQuestions.
func (q *Query) UsesOf(number, question int) (u batch.Use) {
	for _, a := range q.askers[number] {
		if question == AllQuestions || a.question == question {
			u |= a.use
		}
	}
	return u
}

// FirstAsked returns the order of a question among the askers for a column that it uses.
func (q *Query) FirstAsked(number, question int) int {
	i := slices.IndexFunc(q.askers[number], func(a asker) bool { return a.question == question })
	return q.askers[number][i].order
}

// AllQuestions stands for all questions of a pass.
const AllQuestions = -1
