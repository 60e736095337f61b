package cluster

import (
	"errors"
	"fmt"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/question"
)

// Verb is what kind of question is asked.
type Verb string

// The verbs.
const (
	Count Verb = "count"
	Find  Verb = "find"
	Grep  Verb = "grep"
	Table Verb = "table"
)

// Question is a question in a form that can be sent to the workers. Of the selectors of Count and Find one is
// set.
type Question struct {
	Verb Verb

	Lines, Words, Chars bool // several: all three in one pass
	NonZero             bool
	Rows                bool
	Delim               byte // of Rows
	question.Literals
	Regexps   []string
	Column    *question.Values // values that meet its conditions
	Stats     bool             // of Column
	Histogram *question.Bins   // of Column

	All bool // of Find: all places, not only the first

	Summaries bool // of Rows: the cells stay apart

	Lined GrepQuestion
	Table query.Spec
}

// GrepQuestion says which lines are selected, and how they are printed.
type GrepQuestion struct {
	question.Lines
	Invert        bool
	Count         bool // only how many
	Offsets, Only bool
}

// Sizes returns how many of Lines, Words and Chars are asked for.
func (q *Question) Sizes() (n int) {
	for _, asked := range []bool{q.Lines, q.Words, q.Chars} {
		if asked {
			n++
		}
	}
	return n
}

// query returns the compiled question of Count and Find.
func (q *Question) query() (*run.Query, error) {
	switch {
	case q.Sizes() > 1:
		return run.LinesWordsChars(), nil
	case q.Lines:
		return run.Lines(), nil
	case q.Words:
		return run.Words(), nil
	case q.Chars:
		return run.Chars(), nil
	case q.Rows:
		return run.Rows(q.Delim), nil
	case q.NonZero:
		return run.NonZero(), nil
	case len(q.Regexps) > 0:
		return run.Regexps(q.Regexps)
	case len(q.Texts)+len(q.Hex) > 0:
		return run.Any(q.Literals)
	case q.Column != nil && q.Stats:
		return run.Statistics(*q.Column)
	case q.Column != nil && q.Histogram != nil:
		return run.Histogram(*q.Column, *q.Histogram)
	case q.Column != nil:
		return run.Values(*q.Column)
	}
	return nil, errors.New("nothing to look for")
}

// lines returns the compiled question of Grep.
func (q *Question) lines() (*grep.Query, grep.Options, error) {
	g := q.Lined
	query, err := grep.Compile(g.Lines)
	o := grep.Options{Invert: g.Invert, Max: -1, Text: true, Format: grep.Format{Offsets: g.Offsets, Only: g.Only}}
	if g.Count {
		o.Mode = grep.Count
	}
	return query, o, err
}

// check compiles the question, to report what is wrong before anything is started.
func (q *Question) check() (err error) {
	switch q.Verb {
	case Count:
		_, err = q.query()
	case Find:
		var compiled *run.Query
		if compiled, err = q.query(); err == nil && compiled.OnlyCounted() {
			err = failure.ErrOnlyCounted
		}
	case Grep:
		_, _, err = q.lines()
	case Table:
		for _, ask := range q.Table.Questions {
			switch ask.Kind {
			case query.Nth:
				return errors.New("--nth: the number of a record is known on one machine only; use thresh table")
			case query.Select, query.Sample, query.Columns:
				return errors.New("records are printed, and columns described, on one machine only; use thresh table")
			}
		}
		if quote := q.Table.Dialect.Quote; quote != 0 && quote != '"' {
			return fmt.Errorf(`--quote %c: only " and none can be read in parts; use thresh table`, quote)
		}
	}
	return err
}
