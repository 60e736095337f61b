package query

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/filter"
)

// Query is a specification with resolved columns.
type Query struct {
	Spec
	First     First
	Wanted    []int // columns that the questions use, ascending; those of derived come last
	FileSlot  int   // of the column that holds the name of the input; -1 if it is not wanted
	Derived   Derivations
	Filter    *filter.Filter
	Joins     []*SourceJoin // in the order in which they are made
	Numbers   []int         // columns that are parsed as numbers
	Uses      []batch.Use   // by number column
	askers    [][]asker     // by number column
	Within    []int         // by number column: the scope of its records
	Scopes    []Scope
	asking    int          // the scope of the question that is compiled
	asked     int          // how many askers there are
	touched   []int        // columns that were derived last
	ScopeOf   []int        // by question
	Linear    []agg.Linear // by number column
	Nth       []*NthPlan
	LastAsked int64 // the highest record number that nth asks for
	Groups    []*GroupPlan
	Printed   *SelectPlan // nil if no records are printed
	Sorted    *SortPlan   // the same, if they are sorted; nil if they are printed while they are read
	Samples   []*SamplePlan
	Profiled  *ProfilePlan // nil if the columns are not described
	Plans     []any        // how the questions are answered, in their order: those above, a RowsPlan or a FailedPlan
}

// RowsPlan is that of the number of records.
type RowsPlan struct{}

// FailedPlan is that of a question that could not be compiled.
type FailedPlan struct{ Err error }

// Compile resolves the columns of a specification in the first record.
func (s Spec) Compile(first First) (*Query, error) {
	first.fold = s.SQL
	q := &Query{Spec: s, First: first}
	q.Derived.First = max(first.fileColumn()+1, 1)
	if first.Paths != nil { // paths become columns as questions name them
		q.Derived.First = pathsMax
	}
	if len(s.Sources) > 0 {
		if err := q.joinSources(); err != nil {
			return nil, err
		}
	} else if s.Where != "" {
		filter, err := filter.Parse(s.Where, q.scope())
		if err != nil {
			return nil, fmt.Errorf("TableSpec.Where: %w", err)
		}
		q.Filter = filter
		q.Want(filter.Columns()...)
	}
	passed := q.touched
	q.touched = nil
	refused := s.refused(first)
	for i := range s.Questions {
		scope := PassFilter
		if refused == nil || refused[i] == nil {
			var err error
			if scope, err = q.enter(s.Questions[i].Where); err != nil {
				return nil, err
			}
		}
		q.ScopeOf = append(q.ScopeOf, scope)
	}
	q.Derived.Filtered = len(q.Derived.All)
	for i := range s.Questions {
		if refused != nil && refused[i] != nil {
			q.Plans = append(q.Plans, FailedPlan{refused[i]})
			continue
		}
		q.asking = q.ScopeOf[i]
		a, err := q.question(&s.Questions[i])
		if err != nil {
			return nil, err
		}
		q.Plans = append(q.Plans, a)
		q.usedBy(i, q.ScopeOf[i])
		for _, c := range passed {
			q.Derived.All[c].Before = append(q.Derived.All[c].Before, i)
		}
	}
	q.joinedColumns()
	q.watch()
	slices.Sort(q.Wanted)
	q.FileSlot = q.slotOfFile()
	return q, nil
}

// refused returns the errors of the questions that cannot be compiled, each by itself, if they are asked apart.
func (s Spec) refused(first First) (errs []error) {
	if !s.Apart {
		return nil
	}
	for _, ask := range s.Questions {
		_, err := Spec{Dialect: s.Dialect, Where: s.Where, SQL: s.SQL, Questions: []Question{ask}}.Compile(first)
		errs = append(errs, err)
	}
	return errs
}

func (q *Query) question(ask *Question) (plan any, err error) {
	if ask.Where != "" && ask.Kind != Group && ask.Kind != Top {
		return nil, errors.New("Question.Where: only groups have a filter of their own")
	}
	switch ask.Kind {
	case Rows:
		return RowsPlan{}, nil
	case Nth:
		a, err := q.newNth(ask, q.resolve())
		if err == nil {
			q.Nth = append(q.Nth, a)
		}
		return a, err
	case Columns:
		a, err := q.newProfile()
		q.Profiled = a
		return a, err
	case Sample:
		a, err := q.newSample(ask, q.resolve())
		if err == nil {
			q.Samples = append(q.Samples, a)
		}
		return a, err
	case Select:
		a, err := q.newSelect(ask, q.resolve())
		if q.Printed = a; err != nil || ask.By == "" {
			return a, err
		}
		q.Sorted, err = q.newSorted(a, ask)
		return q.Sorted, err
	}
	a, err := q.newGroup(ask)
	if err == nil {
		q.Groups = append(q.Groups, a)
	}
	return a, err
}

// Want records that the questions use some columns.
func (q *Query) Want(columns ...int) {
	for _, c := range columns {
		if q.Derived.Has(c) {
			q.Derived.All[c-q.Derived.First].asText = true
		}
	}
	q.locate(columns...)
}

// locate records that some columns must be located.
func (q *Query) locate(columns ...int) {
	for _, c := range columns {
		if !slices.Contains(q.Wanted, c) {
			q.Wanted = append(q.Wanted, c)
		}
	}
}

// WantNumbers records that a column is parsed as numbers, and returns its index in numbers.
func (q *Query) WantNumbers(column int, u batch.Use) int {
	q.locate(column)
	i := q.numberOf(column)
	if i < 0 {
		i = len(q.Numbers)
		q.Numbers, q.Uses, q.Within = append(q.Numbers, column), append(q.Uses, 0), append(q.Within, q.asking)
		q.Linear, q.askers = append(q.Linear, agg.Linear{Number: -1}), append(q.askers, nil)
	}
	q.Linear[i].Number = -1 // more than its sum is needed
	q.ask(i, u)
	return i
}

// WantLinear records that a column is parsed as numbers for its sum only. ok is false if that of another column does
// not tell it.
func (q *Query) WantLinear(column int) (number int, l agg.Linear, ok bool) {
	if number = q.numberOf(column); number >= 0 {
		q.ask(number, batch.Strict)
		l = q.Linear[number]
		return number, l, l.Number >= 0
	}
	if !q.Derived.Has(column) || q.Derived.All[column-q.Derived.First].Expr == nil {
		return 0, l, false
	}
	if l.Linear, ok = q.Derived.All[column-q.Derived.First].Linear(); !ok {
		return 0, l, false
	}
	l.Number = q.WantNumbers(l.Column, 0)
	number = q.WantNumbers(column, batch.Strict)
	q.Linear[number] = l
	return number, l, true
}

// ask records that the question that is compiled needs the numbers of a column.
func (q *Query) ask(number int, u batch.Use) {
	q.Uses[number] |= u
	q.askers[number] = append(q.askers[number], asker{len(q.Plans), u, q.asked})
	q.asked++
}

// asker is a question that needs the numbers of a column, and what for.
type asker struct {
	question int
	use      batch.Use
	order    int // among all askers
}

// numberOf returns the index in numbers of a column, in the scope of the question that is compiled; -1 if it has none.
func (q *Query) numberOf(column int) int {
	for i, c := range q.Numbers {
		if c == column && q.Within[i] == q.asking {
			return i
		}
	}
	return -1
}

// Slot returns the index of a column in wanted.
func (q *Query) Slot(column int) int {
	i, _ := slices.BinarySearch(q.Wanted, column)
	return i
}

// Ordered reports whether workers must begin the blocks of an input in file order.
func (q *Query) Ordered(stream bool) bool {
	return q.Dialect.Fields().Quoted || stream || len(q.Nth) > 0 || q.Streams()
}

// Streams reports whether records are printed while they are read.
func (q *Query) Streams() bool { return q.Printed != nil && q.Sorted == nil }

// most returns how many rows are wanted, with those that are skipped; 0 for all.
func (ask *Question) most() int64 {
	if ask.Limit == 0 {
		return 0
	}
	const most = math.MaxInt64 / 8 // as good as all
	return min(min(ask.Limit, most)+min(ask.Skip, most), most)
}
