// Package table answers questions about delimited text: how many records there are, certain
// records, and groups of records with their counts, sums and other aggregates. It answers all
// questions in one pass.
//
// A worker copies a chunk of its block, finds the delimiters and the ends of records with vector
// instructions, and processes some hundred records at a time, column by column. Each worker has
// its own groups and sums; they are merged after all workers have ended.
//
// If quoted fields may contain line feeds, a block may begin inside a quoted field. So each
// block is first summarized for every state in which it may begin, which is fast, and the
// summaries are composed in file order. When a worker processes the block, it knows where the
// first record begins. Nothing is guessed.
package table

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/filter"
	"github.com/thresh-dev/thresh/options"
)

// Dialect is how a table is written.
type Dialect options.Dialect

// fields returns how records are found. No valid line of JSON has a zero byte in it, and no line
// a line feed, so lines that are located otherwise are one field each.
func (d Dialect) fields() fields.Dialect {
	if d.splits() {
		return fields.Dialect{Delim: '\n'}
	}
	return d.quoting()
}

// mark returns the byte that follows an empty field that is not null, see value.IsNull. An empty field of the
// input is followed by it only in quotes.
func (d Dialect) mark() byte {
	switch {
	case d.Quote != 0:
		return d.Quote
	case d.Delim == '"':
		return '\''
	}
	return '"'
}

func (d Dialect) check() error {
	switch {
	case d.JSON && !reflect.DeepEqual(d, Dialect{JSON: true}):
		return errors.New("lines of JSON have no delimiter, quote or header, and a null of their own")
	case d.Header && d.NoHeader:
		return errors.New("Dialect.Header and Dialect.NoHeader contradict each other")
	case slices.Contains(d.Nulls, ""):
		return errors.New("Dialect.Nulls: an empty field is null already; give another text")
	case d.SkipLines < 0:
		return fmt.Errorf("Dialect.SkipLines: %d lines cannot be left out", d.SkipLines)
	case d.JSON:
	case d.Delim == '\n' || d.Delim == '\r':
		return fmt.Errorf("delimiter %q: this character ends records; choose another", d.Delim)
	case d.Quote == '\n' || d.Quote == '\r':
		return fmt.Errorf("quote %q: this character ends records; choose another, or Dialect.Quote none", d.Quote)
	case d.Quote == d.Delim && d.Quote != 0:
		return fmt.Errorf("%q cannot be both the delimiter and the quote; choose another, or Dialect.Quote none", d.Delim)
	case d.splits():
		return d.checkSplit()
	}
	return nil
}

// Kind is what a question asks for.
type Kind uint8

// The kinds of questions.
const (
	Rows    Kind = iota // the number of records
	Nth                 // certain records
	Group               // groups of records, with aggregates of their values
	Top                 // the most frequent keys
	Select              // the records themselves
	Sample              // some of the records, chosen at random
	Columns             // what is in each column
)

// Span is a range of record numbers, both ends included.
type Span struct{ First, Last int64 }

// Question is one question. All questions of a pass are about the records that match its filter.
type Question struct {
	Kind    Kind
	Records []Span // of Nth: numbers of records, from 0
	// Columns is of Nth, Select and Sample: columns, by number from 1 or by name. In the last two * is all columns,
	// and so is none.
	Columns    []string
	Without    []string // of Select: columns that * leaves out
	Keys       string   // of Group and Top: KEY[,KEY...]; empty makes one group of all records
	Aggregates string   // of Group: "count,sum(amount)"; empty means count
	Where      string   // of Group and Top: a filter of the records besides that of the pass, empty for none
	Having     string   // of Group: a filter of the groups, empty for none
	Seed       uint64   // of Sample: another one chooses other records
	// By is the order of Group and Select, see parseOrderBy. Empty sorts groups by key, and records by their places.
	By string
	// Limit is the maximum number of groups in Group and Top, and of records in Select and Sample; 0 means all,
	// except in Sample. The first Skip of them are left out, except in Sample.
	Limit, Skip int64
}

// Spec specifies a pass over one table.
type Spec struct {
	Dialect   Dialect
	Malformed options.Malformed
	Where     string // the filter, empty for none
	Questions []Question
	SQL       bool     // texts are SQL's: double quotes are around names
	Sources   []Source // that are joined; nil for the inputs alone
	Probe     int      // the source that the inputs are; the others are in memory
	Apart     bool     // a question that cannot be compiled has an error for an answer; the others are answered
}

// HasHeader reports whether the first record of each input names the columns: as the dialect says it or, where it does
// not, if there is no answer without names.
func (s Spec) HasHeader() bool {
	if d := s.Dialect; d.Header || d.NoHeader || d.JSON || s.SQL {
		return d.Header
	}
	named := false
	_, err := s.compile(First{named: &named})
	return named && err != nil
}

// query is a specification with resolved columns.
type query struct {
	Spec
	first     First
	wanted    []int // columns that the questions use, ascending; those of derived come last
	fileSlot  int   // of the column that holds the name of the input; -1 if it is not wanted
	derived   derivations
	filter    *filter.Filter
	joins     []*sourceJoin // in the order in which they are made
	numbers   []int         // columns that are parsed as numbers
	uses      []batch.Use   // by number column
	askers    [][]asker     // by number column
	within    []int         // by number column: the scope of its records
	scopes    []scope
	asking    int          // the scope of the question that is compiled
	asked     int          // how many askers there are
	scopeOf   []int        // by question
	linear    []agg.Linear // by number column
	nth       []*nthPlan
	lastAsked int64 // the highest record number that nth asks for
	groups    []*groupPlan
	printed   *selectPlan // nil if no records are printed
	sorted    *sortPlan   // the same, if they are sorted; nil if they are printed while they are read
	samples   []*samplePlan
	profiled  *profilePlan // nil if the columns are not described
	plans     []any        // how the questions are answered, in their order; of other types than these a rowsPlan or failedPlan
}

// rowsPlan is that of the number of records.
type rowsPlan struct{}

// failedPlan is that of a question that could not be compiled.
type failedPlan struct{ err error }

// compile resolves the columns of a specification in the first record.
func (s Spec) compile(first First) (*query, error) {
	first.fold = s.SQL
	q := &query{Spec: s, first: first}
	q.derived.first = max(first.fileColumn()+1, 1)
	if first.paths != nil { // paths become columns as questions name them
		q.derived.first = pathsMax
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
		q.filter = filter
		q.Want(filter.Columns()...)
	}
	refused := s.refused(first)
	for i := range s.Questions {
		scope := passFilter
		if refused == nil || refused[i] == nil {
			var err error
			if scope, err = q.enter(s.Questions[i].Where); err != nil {
				return nil, err
			}
		}
		q.scopeOf = append(q.scopeOf, scope)
	}
	q.derived.filtered = len(q.derived.all)
	for i := range s.Questions {
		if refused != nil && refused[i] != nil {
			q.plans = append(q.plans, failedPlan{refused[i]})
			continue
		}
		q.asking = q.scopeOf[i]
		a, err := q.question(&s.Questions[i])
		if err != nil {
			return nil, err
		}
		q.plans = append(q.plans, a)
	}
	q.joinedColumns()
	slices.Sort(q.wanted)
	q.fileSlot = q.slotOfFile()
	return q, nil
}

// refused returns the errors of the questions that cannot be compiled, each by itself, if they are asked apart.
func (s Spec) refused(first First) (errs []error) {
	if !s.Apart {
		return nil
	}
	for _, ask := range s.Questions {
		_, err := Spec{Dialect: s.Dialect, Where: s.Where, SQL: s.SQL, Questions: []Question{ask}}.compile(first)
		errs = append(errs, err)
	}
	return errs
}

func (q *query) question(ask *Question) (plan any, err error) {
	if ask.Where != "" && ask.Kind != Group && ask.Kind != Top {
		return nil, errors.New("Question.Where: only groups have a filter of their own")
	}
	switch ask.Kind {
	case Rows:
		return rowsPlan{}, nil
	case Nth:
		a, err := q.newNth(ask, q.resolve())
		if err == nil {
			q.nth = append(q.nth, a)
		}
		return a, err
	case Columns:
		a, err := q.newProfile()
		q.profiled = a
		return a, err
	case Sample:
		a, err := q.newSample(ask, q.resolve())
		if err == nil {
			q.samples = append(q.samples, a)
		}
		return a, err
	case Select:
		a, err := q.newSelect(ask, q.resolve())
		if q.printed = a; err != nil || ask.By == "" {
			return a, err
		}
		q.sorted, err = q.newSorted(a, ask)
		return q.sorted, err
	}
	a, err := q.newGroup(ask)
	if err == nil {
		q.groups = append(q.groups, a)
	}
	return a, err
}

// Want records that the questions use some columns.
func (q *query) Want(columns ...int) {
	for _, c := range columns {
		if q.derived.has(c) {
			q.derived.all[c-q.derived.first].asText = true
		}
	}
	q.locate(columns...)
}

// locate records that some columns must be located.
func (q *query) locate(columns ...int) {
	for _, c := range columns {
		if !slices.Contains(q.wanted, c) {
			q.wanted = append(q.wanted, c)
		}
	}
}

// WantNumbers records that a column is parsed as numbers, and returns its index in numbers.
func (q *query) WantNumbers(column int, u batch.Use) int {
	q.locate(column)
	i := q.numberOf(column)
	if i < 0 {
		i = len(q.numbers)
		q.numbers, q.uses, q.within = append(q.numbers, column), append(q.uses, 0), append(q.within, q.asking)
		q.linear, q.askers = append(q.linear, agg.Linear{Number: -1}), append(q.askers, nil)
	}
	q.linear[i].Number = -1 // more than its sum is needed
	q.ask(i, u)
	return i
}

// WantLinear records that a column is parsed as numbers for its sum only. ok is false if that of another column does
// not tell it.
func (q *query) WantLinear(column int) (number int, l agg.Linear, ok bool) {
	if number = q.numberOf(column); number >= 0 {
		q.ask(number, batch.Strict)
		l = q.linear[number]
		return number, l, l.Number >= 0
	}
	if !q.derived.has(column) || q.derived.all[column-q.derived.first].Expr == nil {
		return 0, l, false
	}
	if l.Linear, ok = q.derived.all[column-q.derived.first].Linear(); !ok {
		return 0, l, false
	}
	l.Number = q.WantNumbers(l.Column, 0)
	number = q.WantNumbers(column, batch.Strict)
	q.linear[number] = l
	return number, l, true
}

// ask records that the question that is compiled needs the numbers of a column.
func (q *query) ask(number int, u batch.Use) {
	q.uses[number] |= u
	q.askers[number] = append(q.askers[number], asker{len(q.plans), u, q.asked})
	q.asked++
}

// asker is a question that needs the numbers of a column, and what for.
type asker struct {
	question int
	use      batch.Use
	order    int // among all askers
}

// numberOf returns the index in numbers of a column, in the scope of the question that is compiled; -1 if it has none.
func (q *query) numberOf(column int) int {
	for i, c := range q.numbers {
		if c == column && q.within[i] == q.asking {
			return i
		}
	}
	return -1
}

// slot returns the index of a column in wanted.
func (q *query) slot(column int) int {
	i, _ := slices.BinarySearch(q.wanted, column)
	return i
}

// ordered reports whether workers must begin the blocks of an input in file order.
func (q *query) ordered(stream bool) bool {
	return q.Dialect.fields().Quoted || stream || len(q.nth) > 0 || q.streams()
}

// streams reports whether records are printed while they are read.
func (q *query) streams() bool { return q.printed != nil && q.sorted == nil }

// most returns how many rows are wanted, with those that are skipped; 0 for all.
func (ask *Question) most() int64 {
	if ask.Limit == 0 {
		return 0
	}
	const most = math.MaxInt64 / 8 // as good as all
	return min(min(ask.Limit, most)+min(ask.Skip, most), most)
}
