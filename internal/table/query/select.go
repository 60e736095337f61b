package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/row"
)

// SelectPlan is how matching records are printed, while the inputs are read.
type SelectPlan struct {
	Title    string
	Columns  []int
	Heading  []answer.Column
	Verbatim bool  // all columns in order: a record is printed as it is
	Derived  bool  // some columns are those of expressions
	Skip     int64 // records
	Most     int64 // those and the ones that are printed; 0 for all
}

// Counts reports whether the number of records decides what is printed.
func (a *SelectPlan) Counts() bool { return a.Skip > 0 || a.Most > 0 }

func (q *Query) newSelect(ask *Question, resolve key.Resolve) (*SelectPlan, error) {
	if len(q.Questions) > 1 {
		return nil, errors.New("thresh.Select prints the records themselves: it must be the only question")
	}
	title := "select"
	if q.SQL {
		title = ""
	}
	all := len(ask.Columns) == 0 || slices.Equal(ask.Columns, []string{allColumns})
	if q.First.Paths != nil && q.narrowsOnly() && all {
		return &SelectPlan{Title: title, Heading: []answer.Column{{Name: allColumns}}, Verbatim: true, Skip: ask.Skip,
			Most: ask.most()}, nil
	}
	flag := "thresh.Select"
	if q.SQL {
		flag = "select"
	}
	columns, heading, err := q.selected(flag, ask.Columns, ask.Without, resolve)
	if err != nil {
		return nil, err
	}
	a := &SelectPlan{Title: title, Columns: columns, Heading: row.Unique(heading), Skip: ask.Skip, Most: ask.most(),
		Verbatim: len(columns) == q.First.Fields && q.First.Paths == nil, Derived: !q.narrowsOnly()}
	for i, c := range columns {
		a.Verbatim = a.Verbatim && c == i && heading[i].Name == q.First.Name(i)
		a.Derived = a.Derived || q.Derived.Has(c)
	}
	return a, nil
}

// SortPlan is how matching records are printed in an order, when all inputs have been read.
type SortPlan struct {
	*SelectPlan
	By []OrderItem
}

func (q *Query) newSorted(a *SelectPlan, ask *Question) (*SortPlan, error) {
	s := &SortPlan{SelectPlan: a}
	var err error
	if s.By, err = parseOrderBy(ask.By); err != nil {
		return nil, fmt.Errorf("Select.OrderBy: %w", err)
	}
	for i := range s.By {
		by := &s.By[i]
		if by.Column, _, err = q.parseColumn(ask.By, by.place); err != nil {
			return nil, fmt.Errorf("Select.OrderBy: %w", err)
		}
		q.Want(by.Column)
	}
	return s, nil
}

// KeyColumns returns the columns that records are ordered by; of no answer none.
func (a *SortPlan) KeyColumns() (columns []int) {
	if a != nil {
		for _, item := range a.By {
			columns = append(columns, item.Column)
		}
	}
	return columns
}

// selected resolves columns and expressions that are printed, each perhaps with a name. None means all columns, and so
// does "*".
func (q *Query) selected(flag string, names, without []string, resolve key.Resolve) (
	columns []int, heading []answer.Column, err error) {
	add := func(column int, name string) {
		columns, heading = append(columns, column), append(heading, answer.Column{Name: name, JSON: q.isJSON(column)})
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
				if !hasName(without, q.Name(c)) {
					add(c, q.Name(c))
				}
			}
			for _, name := range without {
				if !slices.ContainsFunc(every, func(c int) bool { return strings.EqualFold(q.Name(c), name) }) {
					return nil, nil, fmt.Errorf("%s: exclude (%s): no such column", flag, name)
				}
			}
			continue
		}
		if name == allColumns && q.First.Paths != nil {
			return nil, nil, fmt.Errorf("%s: lines of JSON may have any keys: name columns", flag)
		}
		if name == allColumns {
			for c := range max(q.First.Fields, 1) { // of an empty table one, whatever it is
				if !slices.Contains(left, c) {
					add(c, q.First.Name(c))
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
