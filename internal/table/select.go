package table

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/row"
)

// selectPlan is how matching records are printed, while the inputs are read.
type selectPlan struct {
	title    string
	columns  []int
	heading  []answer.Column
	verbatim bool  // all columns in order: a record is printed as it is
	derived  bool  // some columns are those of expressions
	skip     int64 // records
	most     int64 // those and the ones that are printed; 0 for all
}

// counts reports whether the number of records decides what is printed.
func (a *selectPlan) counts() bool { return a.skip > 0 || a.most > 0 }

func (q *query) newSelect(ask *Question, resolve key.Resolve) (*selectPlan, error) {
	if len(q.Questions) > 1 {
		return nil, errors.New("thresh.Select prints the records themselves: it must be the only question")
	}
	title := "select"
	if q.SQL {
		title = ""
	}
	all := len(ask.Columns) == 0 || slices.Equal(ask.Columns, []string{allColumns})
	if q.first.paths != nil && q.narrowsOnly() && all {
		return &selectPlan{title: title, heading: []answer.Column{{Name: allColumns}}, verbatim: true, skip: ask.Skip,
			most: ask.most()}, nil
	}
	columns, heading, err := q.selected("thresh.Select", ask.Columns, ask.Without, resolve)
	if err != nil {
		return nil, err
	}
	a := &selectPlan{title: title, columns: columns, heading: row.Unique(heading), skip: ask.Skip, most: ask.most(),
		verbatim: len(columns) == q.first.Fields && q.first.paths == nil, derived: !q.narrowsOnly()}
	for i, c := range columns {
		a.verbatim = a.verbatim && c == i && heading[i].Name == q.first.name(i)
		a.derived = a.derived || q.derived.has(c)
	}
	return a, nil
}

// sortPlan is how matching records are printed in an order, when all inputs have been read.
type sortPlan struct {
	*selectPlan
	by []orderItem
}

func (q *query) newSorted(a *selectPlan, ask *Question) (*sortPlan, error) {
	s := &sortPlan{selectPlan: a}
	var err error
	if s.by, err = parseOrderBy(ask.By); err != nil {
		return nil, fmt.Errorf("Select.OrderBy: %w", err)
	}
	for i := range s.by {
		by := &s.by[i]
		if by.column, _, err = q.parseColumn(ask.By, by.place); err != nil {
			return nil, fmt.Errorf("Select.OrderBy: %w", err)
		}
		q.Want(by.column)
	}
	return s, nil
}

// columns returns the columns that records are ordered by; of no answer none.
func (a *sortPlan) columns() (columns []int) {
	if a != nil {
		for _, item := range a.by {
			columns = append(columns, item.column)
		}
	}
	return columns
}

// selected resolves columns and expressions that are printed, each perhaps with a name. None means all columns, and so
// does "*".
func (q *query) selected(flag string, names, without []string, resolve key.Resolve) (
	columns []int, heading []answer.Column, err error) {
	add := func(column int, name string) {
		columns, heading = append(columns, column), append(heading, answer.Column{Name: name, Type: answer.ColumnText})
	}
	if len(names) == 0 {
		names = []string{allColumns}
	}
	var left []int
	for _, name := range without {
		if len(q.Sources) > 0 {
			break // names, of which each may be that of several columns
		}
		c, err := resolve(name, true)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", flag, err)
		}
		left = append(left, c)
	}
	for _, name := range names {
		if of, ok := strings.CutSuffix(name, allColumns); ok && len(q.Sources) > 0 {
			every, err := q.everyColumn(strings.TrimSuffix(of, "."))
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", flag, err)
			}
			for _, c := range every {
				if !hasName(without, q.name(c)) {
					add(c, q.name(c))
				}
			}
			for _, name := range without {
				if !slices.ContainsFunc(every, func(c int) bool { return strings.EqualFold(q.name(c), name) }) {
					return nil, nil, fmt.Errorf("%s: exclude (%s): no such column", flag, name)
				}
			}
			continue
		}
		if name == allColumns && q.first.paths != nil {
			return nil, nil, fmt.Errorf("%s: lines of JSON may have any keys: name columns", flag)
		}
		if name == allColumns {
			for c := range max(q.first.Fields, 1) { // of an empty table one, whatever it is
				if !slices.Contains(left, c) {
					add(c, q.first.name(c))
				}
			}
			continue
		}
		k, err := key.Parse(name, resolve, q.deriveAt)
		if err == nil && k.IsRegex() {
			err = errors.New("write regexp_extract(COLUMN, 'PATTERN', 1) for what the pattern finds")
		}
		column, named := 0, ""
		if err == nil {
			column, named = k.Column, k.Heading(q.keyName(k))
		}
		if err == nil && !k.IsColumn() { // a slice
			column, _, err = q.deriveAt(name, 0)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", flag, err)
		}
		add(column, named)
	}
	q.Want(columns...)
	return columns, heading, nil
}

// allColumns stands for all columns in a list.
const allColumns = "*"
