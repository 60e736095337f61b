// Package tabletest defines the answers of thresh table. It is slow, obvious, and uses only the
// standard library; the fast code is tested against it. It also provides difficult files to
// test both with.
//
// text.go defines records and fields, number.go defines numbers, and answer.go defines the
// answers. testdata/differences.md lists where other programs interpret the same bytes
// differently.
package tabletest

import (
	"fmt"
	"strconv"
	"strings"
)

// Mode says what to do with malformed records.
type Mode uint8

// The modes: Fail stops at the first malformed record; Skip skips malformed records; Keep treats
// missing fields as empty, ignores additional fields, and reads broken quotes as described at
// Dialect.Value.
const (
	Fail Mode = iota
	Skip
	Keep
)

func (m Mode) String() string { return [...]string{"fail", "skip", "keep"}[m] }

// Question contains everything that is asked about a table in one pass.
type Question struct {
	Dialect
	Malformed Mode
	Where     *Condition // nil: every record matches
	Asks      []Ask
}

// Kind is a kind of answer.
type Kind uint8

// The kinds of answers.
const (
	Rows   Kind = iota // the number of matching records
	Nth                // the matching records with the given numbers
	Group              // aggregates by key
	Top                // the most frequent keys and their counts
	Select             // the matching records; the only ask of its question
)

// Ask asks for one answer.
type Ask struct {
	Kind    Kind
	Numbers []int64    // Nth: numbers of records, from 0, in output order; a missing record has no row
	Columns []int      // Nth, Select: from 1; of Select, none means all
	Keys    []Key      // Group, Top
	Aggs    []Agg      // Group
	ByValue bool       // Group: by the first aggregate descending, ties by key; otherwise by key
	Sort    []Sort     // Group: another order, ties by key. Select: the order, ties by place
	Having  *Condition // Group: a filter of the rows of the answer, whose fields are their cells
	// Limit is the maximum of groups in Group and Top, and of records in Select. 0 means no limit in Group and
	// Select, and no groups in Top. What follows the last record of a Select is not read.
	Limit int
	Skip  int // Group, Top, Select: so many of the first rows are left out; the limit counts those after them
}

// Sort is one of the things that an answer is ordered by. What is null comes last unless NullsFirst says otherwise.
type Sort struct {
	Cell       int   // Group: of the answer, from 0; -1 is all keys
	Of         Value // Select
	Descending bool
	NullsFirst bool
}

// Order returns the order of the groups as a user writes it.
func (a Ask) Order() string {
	if a.Sort == nil {
		if a.ByValue && a.Kind == Group {
			return "value"
		}
		return ""
	}
	var items []string
	for _, s := range a.Sort {
		item := s.Of.Text
		if a.Kind == Group {
			item = a.cellText(s.Cell)
		}
		if s.Descending {
			item += " desc"
		} else {
			item += " asc"
		}
		if s.NullsFirst {
			item += " nulls first"
		}
		items = append(items, item)
	}
	return strings.Join(items, ", ")
}

// cellText returns a cell of an answer as a user names it.
func (a Ask) cellText(n int) string {
	switch {
	case n < 0:
		return "key"
	case n < len(a.Keys):
		return a.keyText(n)
	}
	return a.Aggs[n-len(a.Keys)].String()
}

// Lists returns the keys and the aggregates as a user writes them.
func (a Ask) Lists() (keys, aggregates string) {
	var texts []string
	for i := range a.Keys {
		texts = append(texts, a.keyText(i))
	}
	return strings.Join(texts, ","), strings.Join(headings(nil, a.Aggs), ",")
}

// keyText returns a key as it is written in a list.
func (a Ask) keyText(i int) string {
	if k := a.Keys[i]; k.Regexp != "" && len(a.Keys) > 1 {
		return fmt.Sprintf("%d~'%s'", k.Column, strings.ReplaceAll(k.Regexp, "'", "''"))
	}
	return a.Keys[i].String()
}

// Key is a key of a group: a column, a slice of its bytes, or what an expression finds in it.
type Key struct {
	Column   int    // from 1
	Sliced   bool   // only the bytes [From, To), cut off at the end of the field
	From, To int    // To is AllBytes or at least From
	Regexp   string // if not empty: the key is its first capture, or its match if it has none
	Of       *Value // if not nil: the key, instead of a column
}

// AllBytes as a Key's To is the end of the field.
const AllBytes = -1

// String returns the key as a user writes it.
func (k Key) String() string {
	switch {
	case k.Of != nil:
		return k.Of.Text
	case k.Regexp != "":
		return fmt.Sprintf("%d~%s", k.Column, k.Regexp)
	case k.Sliced && k.To == AllBytes:
		return fmt.Sprintf("%d[%d:]", k.Column, k.From)
	case k.Sliced && k.From == 0:
		return fmt.Sprintf("%d[:%d]", k.Column, k.To)
	case k.Sliced:
		return fmt.Sprintf("%d[%d:%d]", k.Column, k.From, k.To)
	}
	return fmt.Sprint(k.Column)
}

// Agg is an aggregate of a column (from 1): count, sum, min, max, mean, distinct, and so on, or p with a
// percentage, for example p50 or p99.9. A count has no column; counted is count(column).
type Agg struct {
	Func   string
	Column int
	Of     *Value // if not nil: aggregated instead of a column

	With       *Value // the second column; of string_agg what it is ordered by
	Constant   string // the second argument as it is written, if it is a constant
	Descending bool   // of string_agg
}

// String returns the aggregate as a user writes it.
func (a Agg) String() string {
	function := a.Func
	switch {
	case function == "count":
		return function
	case function == "counted":
		function = "count"
	}
	argument := strconv.Itoa(a.Column)
	if a.Of != nil {
		argument = a.Of.Text
	}
	if a.Constant != "" {
		argument += ", " + a.Constant
	}
	switch {
	case function == "string_agg" && a.With != nil:
		argument += " order by " + a.With.Text
		if a.Descending {
			argument += " desc"
		}
	case function == "distinct" && a.With != nil:
		return fmt.Sprintf("count(distinct %s, %s)", argument, a.With.Text)
	case a.With != nil:
		argument += ", " + a.With.Text
	}
	return fmt.Sprintf("%s(%s)", function, argument)
}

// value is what is aggregated.
func (a Agg) value() Value {
	if a.Of != nil {
		return *a.Of
	}
	return Column(a.Column)
}

// use is a value that an aggregate uses as a number.
type use struct {
	Value
	byValues  bool // the values of the column decide whether the aggregate is about numbers
	asWritten bool // it is about any values, which are numbers if all are
}

// uses returns the values that the aggregate uses as numbers.
func (a Agg) uses() []use {
	switch a.Func {
	case "count", "counted", "distinct", "mode", "bool_and", "bool_or":
		return nil
	case "min", "max", "first", "last", "any_value":
		return []use{{Value: a.value(), byValues: true}}
	case "arg_min", "arg_max":
		return []use{{Value: a.value(), asWritten: true}, {Value: *a.With, byValues: true}}
	case "string_agg":
		if a.With == nil {
			return nil
		}
		return []use{{Value: *a.With, byValues: true}}
	}
	if a.With != nil {
		return []use{{Value: a.value()}, {Value: *a.With}}
	}
	return []use{{Value: a.value()}}
}

// limit returns how many matching records are read, 0 for all.
func (q Question) limit() int {
	if len(q.Asks) == 1 && q.Asks[0].Kind == Select && q.Asks[0].Sort == nil && q.Asks[0].Limit > 0 {
		return q.Asks[0].Skip + q.Asks[0].Limit
	}
	return 0
}

// columns returns the columns that the question uses.
func (q Question) columns() (all []int) {
	if q.Where != nil {
		all = append(all, q.Where.Columns...)
	}
	for _, ask := range q.Asks {
		all = append(all, ask.Columns...)
		for _, s := range ask.Sort {
			all = append(all, s.Of.Columns...)
		}
		for _, k := range ask.Keys {
			if k.Of != nil {
				all = append(all, k.Of.Columns...)
			} else {
				all = append(all, k.Column)
			}
		}
		for _, a := range ask.Aggs {
			if a.Func != "count" {
				all = append(all, a.value().Columns...)
			}
			if a.With != nil {
				all = append(all, a.With.Columns...)
			}
		}
	}
	return all
}

// Result is the answer of the plain twin.
type Result struct {
	// Answers has an answer for each ask: a heading, then rows. The heading is "rows" for Rows,
	// "record" and the columns for Nth, and the keys and aggregates ("count" for Top) otherwise.
	Answers [][][]string
	Records int64 // in the table, whether they match or not
	Empty   int64 // empty lines, which are not records
	Skipped int64 // malformed records, in mode Skip
	// SkippedBytes and SkippedLines are the size of these records with their line ends.
	SkippedBytes, SkippedLines int64
	Bad                        map[int]int64 // by column: fields of matching records that should be numbers and are not
	Fitting                    int64         // records that meet the filter
	// NoNumbers has the numbers of values of columns that are asked for as numbers and have none.
	NoNumbers map[int64]bool
	First     *Malformed // the first malformed record, in modes Fail and Skip
}

// Malformed is a malformed record. In mode Fail, it is the error.
type Malformed struct {
	File   int    // from 0
	Line   int64  // 1 plus the line feeds before the record, inside quotes or not
	Offset int64  // of the record's first byte in the file
	Reason string // the first of the reasons below that applies
}

// Reasons why a record is malformed. The numbers of NotFields are how many fields the record has,
// and how many it should have.
const (
	OutOfPlace = "a quote out of place"
	Unclosed   = "the input ends inside quotes"
	NotFields  = "%d fields instead of %d"
)

func (m *Malformed) Error() string {
	return fmt.Sprintf("file %d, line %d, at %d: %s", m.File, m.Line, m.Offset, m.Reason)
}

func headings[T fmt.Stringer](texts []string, of []T) []string {
	for _, x := range of {
		texts = append(texts, x.String())
	}
	return texts
}

// String returns the question in one line, for messages of failed tests.
func (q Question) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "delimiter %q quote %q header %v malformed %v", q.Delim, q.Quote, q.Header, q.Malformed)
	if q.Where != nil {
		fmt.Fprintf(&s, " where %s", q.Where.Text)
	}
	for _, a := range q.Asks {
		kind := [...]string{"rows", "nth", "group", "top", "select"}[a.Kind]
		fmt.Fprintf(&s, "; %s %v%v%v%v by %q skip %d limit %d", kind, a.Numbers, a.Columns, a.Keys, a.Aggs,
			a.Order(), a.Skip, a.Limit)
		if a.Having != nil {
			fmt.Fprintf(&s, " having %s", a.Having.Text)
		}
	}
	return s.String()
}
