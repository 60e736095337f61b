package cluster

import (
	"errors"
	"fmt"

	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/options"
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

// Question is a question in a form that can be sent to the workers.
type Question struct {
	Verb      Verb
	Asked     run.Asked // of Count and Find
	Limit     int64     // of Find: places in each input; 0 means all
	Summaries bool      // of Count: the cells stay apart
	Lines     question.Lines
	Print     grep.Options // of the lines
	Spec      Spec         // of Table
}

// Spec is a query.Spec about inputs alone.
type Spec struct {
	Dialect   query.Dialect
	Malformed options.Malformed
	Where     string
	Questions []query.Question
	SQL       bool
	Apart     bool
}

func (s Spec) query() query.Spec {
	return query.Spec{Dialect: s.Dialect, Malformed: s.Malformed, Where: s.Where, Questions: s.Questions, SQL: s.SQL,
		Apart: s.Apart}
}

// oneMachine says why questions of a kind are answered on one machine only.
var oneMachine = map[query.Kind]string{
	query.Nth:     "certain records (--nth): where the record of a number is, is known only when all before it are read",
	query.Select:  "records themselves (--select, select without groups): they would all go through the machine that asks",
	query.Sample:  "a sample of records (--sample): one machine draws it",
	query.Columns: "what is in each column (--columns): its figures cannot be merged",
}

// specOf returns the form of a specification that can be sent, or why the table cannot be read in parts.
func specOf(s query.Spec) (Spec, error) {
	if s.Sources != nil {
		return Spec{}, errors.New("a join is answered on one machine: ask thresh sql")
	}
	if s.Dialect.JSON {
		return Spec{}, errors.New("lines of JSON are read on one machine, which knows the keys that no line has: ask thresh")
	}
	for _, ask := range s.Questions {
		if why := oneMachine[ask.Kind]; why != "" {
			return Spec{}, fmt.Errorf("not on a cluster: %s; ask thresh", why)
		}
	}
	return Spec{Dialect: s.Dialect, Malformed: s.Malformed, Where: s.Where, Questions: s.Questions, SQL: s.SQL,
		Apart: s.Apart}, nil
}

// inParts returns an error if a table cannot be read in several cells: at the beginning of one it is not known where
// its text is.
func (s *Spec) inParts() error {
	switch d := &s.Dialect; {
	case d.Quote == 0 || d.JSON:
	case d.Quote != '"':
		return fmt.Errorf(`--quote %c: only " and none can be read in parts; ask thresh`, d.Quote)
	case d.Comment != "":
		return errors.New("--comment: lines that may hold a quote cannot be read in parts; give --quote none, or ask thresh")
	}
	return nil
}
