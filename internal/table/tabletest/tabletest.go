// Package tabletest defines what thresh table answers: slowly, obviously, and with nothing
// but the standard library, so that fast code can be held against it. With it come nasty
// files to try both on.
//
// Read text.go for what a record and a field are, number.go for what a number is, and
// answer.go for what is made of them. testdata/differences.md tells where other programs
// see the same bytes otherwise.
package tabletest

import (
	"fmt"
	"strings"
)

// Mode is what becomes of malformed records.
type Mode uint8

// The modes: Fail ends at the first malformed record; Skip leaves them out of everything;
// Keep takes missing fields as empty, ignores additional ones, and reads broken quotes as
// Dialect.Value says.
const (
	Fail Mode = iota
	Skip
	Keep
)

func (m Mode) String() string { return [...]string{"fail", "skip", "keep"}[m] }

// Question is all that is asked of a table in one pass.
type Question struct {
	Dialect
	Malformed Mode
	Where     *Condition // nil: every record fits
	Asks      []Ask
}

// Kind is a kind of answer.
type Kind uint8

// The kinds of answers.
const (
	Rows  Kind = iota // how many records fit
	Nth               // the records with these numbers among those that fit
	Group             // aggregates by key
	Top               // the commonest keys and their counts
)

// Ask asks for one answer.
type Ask struct {
	Kind    Kind
	Numbers []int64 // Nth: of records, from 0, in the order wanted; one that is not there has no row
	Columns []int   // Nth: from 1
	Keys    []Key   // Group, Top
	Aggs    []Agg   // Group
	ByValue bool    // Group: by the first aggregate descending, ties by key; otherwise by key
	Limit   int     // Group, Top: so many groups at most; 0 is no limit in Group, and none in Top
}

// Key is what records are grouped by: a column, a slice of its bytes, or what an
// expression finds in it.
type Key struct {
	Column   int    // from 1
	Sliced   bool   // only the bytes [From, To), cut short where the field ends
	From, To int    // To is AllBytes or at least From
	Regexp   string // if any: its first capture, or the match when it has none
}

// AllBytes as a Key's To is the end of the field.
const AllBytes = -1

// String is the key as a user writes it.
func (k Key) String() string {
	switch {
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

// Agg is an aggregate: count, sum, min, max, mean, distinct, or p and a percentage such as
// p50 and p99.9, of a column from 1. A count has no column.
type Agg struct {
	Func   string
	Column int
}

// String is the aggregate as a user writes it.
func (a Agg) String() string {
	if a.Func == "count" {
		return a.Func
	}
	return fmt.Sprintf("%s(%d)", a.Func, a.Column)
}

// numeric reports whether the aggregate is one of numbers.
func (a Agg) numeric() bool { return a.Func != "count" && a.Func != "distinct" }

// columns returns the columns that the question is about.
func (q Question) columns() (all []int) {
	if q.Where != nil {
		all = append(all, q.Where.Columns...)
	}
	for _, ask := range q.Asks {
		all = append(all, ask.Columns...)
		for _, k := range ask.Keys {
			all = append(all, k.Column)
		}
		for _, a := range ask.Aggs {
			if a.Func != "count" {
				all = append(all, a.Column)
			}
		}
	}
	return all
}

// Result is what the twin answers.
type Result struct {
	// Answers are those to the question's asks: a heading, then rows. Headings are "rows";
	// "record" and the columns; the keys and the aggregates, which for Top is "count".
	Answers [][][]string
	Records int64 // in the table, whether they fit or not
	Empty   int64 // lines that are no records
	Skipped int64 // malformed records, in mode Skip
	// The bytes and the lines of these, with what ends them.
	SkippedBytes, SkippedLines int64
	Bad                        map[int]int64 // fields of records that fit that should be numbers and are none, by column
	First                      *Malformed    // the first malformed record, in modes Fail and Skip
}

// Malformed is a record that is none, and the error that it is in mode Fail.
type Malformed struct {
	File   int    // from 0
	Line   int64  // from 1: line feeds before the record, inside quotes or not, and one
	Offset int64  // of the record's first byte in the file
	Reason string // the first of the reasons below that applies
}

// What can be wrong with a record; NotFields tells how many there are and should be.
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

// String tells the question in one line, for a test that fails.
func (q Question) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "delimiter %q quote %q header %v malformed %v", q.Delim, q.Quote, q.Header, q.Malformed)
	if q.Where != nil {
		fmt.Fprintf(&s, " where %s", q.Where.Text)
	}
	for _, a := range q.Asks {
		kind := [...]string{"rows", "nth", "group", "top"}[a.Kind]
		fmt.Fprintf(&s, "; %s %v%v%v%v by value %v limit %d", kind, a.Numbers, a.Columns, a.Keys, a.Aggs,
			a.ByValue, a.Limit)
	}
	return s.String()
}
