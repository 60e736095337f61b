// Package query has the questions about a table: what is asked, as flags and SQL say it, and what of it a pass must do:
// which columns are located and which of them are parsed as numbers, which records are left out, what is computed of
// records, and what groups keep. Everything is known of the first record of the first input; nothing is read here. An
// error says where in its text the mistake is.
package query

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/options"
)

// Dialect is how a table is written.
type Dialect options.Dialect

// Fields returns how records are found. No valid line of JSON has a zero byte in it, and no line
// a line feed, so lines that are located otherwise are one field each.
func (d Dialect) Fields() fields.Dialect {
	if d.Splits() {
		return fields.Dialect{Delim: '\n'}
	}
	return d.Quoting()
}

// Mark returns the byte that follows an empty field that is not null, see value.IsNull. An empty field of the
// input is followed by it only in quotes.
func (d Dialect) Mark() byte {
	switch {
	case d.Quote != 0:
		return d.Quote
	case d.Delim == '"':
		return '\''
	}
	return '"'
}

// Check returns what is wrong with the dialect.
func (d Dialect) Check() error {
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
	case d.Splits():
		return errors.Join(d.checkSplit(), d.checkNumbers())
	}
	return d.checkNumbers()
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
	_, err := s.Compile(First{named: &named})
	return named && err != nil
}
