package thresh

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/sql"
	"github.com/thresh-dev/thresh/options"
)

// TableSpec says how a table of delimited text is written, and what is asked of it. Columns are named
// by number, from 1, or by name if the first record is a header.
type TableSpec struct {
	Dialect   options.Dialect
	Malformed options.Malformed
	// Where is a filter, such as `country = "DE" and amount > 100`; empty means all records.
	Where     string
	Questions []Question // at least one
}

// CSV returns the dialect of RFC 4180 with a header: commas and double quotes.
func CSV() options.Dialect { return options.Dialect{Delim: ',', Quote: '"', Header: true} }

// HasHeader reports whether the first record of each input names the columns: as the Dialect says it, or if it says
// neither, if a question or the filter names a column.
func (s TableSpec) HasHeader() bool {
	spec, err := s.run()
	return err == nil && spec.HasHeader()
}

// SQL returns the questions about files as statements of SQL, which answer the same. It is an error that names the
// question if no statement asks it.
func (s TableSpec) SQL(files []string) (string, error) {
	spec, err := s.run()
	if err != nil {
		return "", err
	}
	text, err := "", errors.New("files: a statement is about at least one")
	if len(files) > 0 {
		text, err = sql.Write(spec, files)
	}
	if err != nil {
		return "", &failure.SpecError{Err: err}
	}
	return text, nil
}

// Question is a question about a table: RecordCount, Records, Select, Sample, Columns,
// Groups or TopKeys, or a pointer to one.
type Question interface {
	question() query.Question
}

// Select asks for the records that meet the filter, in file order or another one. It must be the only question.
// In file order records go to the output while the input is read: an implementation of TableWriter gets them from
// several goroutines, one at a time. A Writer gets them formatted, by all workers at once.
type Select struct {
	Columns []string // * is all columns; none means all
	// OrderBy is what records are ordered by: columns or expressions with commas between them, each perhaps
	// followed by " asc" or " desc", and then by " nulls first" or " nulls last", as in "amount desc, city".
	// Numbers come first, by value; then times, by the moment; then texts, byte by byte; then null. Descending
	// turns the values of each of these kinds round, not the kinds. Ties come in file order. Empty is file order.
	OrderBy string
	Skip    int64 // so many of the first records are not returned
	Limit   int64 // records that are returned; 0 means all. In file order the rest of the input is not read.
}

// RecordCount asks how many records there are.
type RecordCount struct{}

// Records asks for certain records: those with the Numbers, and then those in the Ranges.
type Records struct {
	Numbers []int64 // from 0, without the header; one that does not exist is named in a note
	Ranges  []RecordRange
	Columns []string // of these records; at least one
}

// RecordRange is a range of record numbers, both ends included.
type RecordRange struct{ First, Last int64 }

// Columns asks what is in each column: its name, the type of its values (integer, decimal, float, date, timestamp,
// boolean, text, or null), how many fields are null, how many different texts there are, the smallest and the
// greatest value (of dates and timestamps by the moment, of texts byte by byte), and the length of the longest in
// bytes. It must be the only question.
type Columns struct{}

// Sample asks for some of the records that meet the filter, each set of them as likely as any other of that
// size. They come in file order, and are the same for any number of workers.
type Sample struct {
	Columns []string // * is all columns; none means all
	Size    int64    // how many records, at least 1
	Seed    uint64   // another one chooses other records
}

// Groups asks for groups of records, and for aggregates of them.
type Groups struct {
	// Keys is the columns by which records are grouped, separated by commas: "country,city". A key can
	// be a part of a column: "date[:7]", or what a regular expression captures: "name~, *([^, ]+)"; if it
	// has named groups, each is a key. It can be an expression: "year(date)". "as" gives a key a name.
	// Empty puts all records into one group.
	Keys string
	// Aggregates are separated by commas: count sum(c) min(c) max(c) mean(c) distinct(c) p50(c) and so
	// on, of columns or expressions; "as" gives one a name. Empty means count.
	Aggregates string
	// Having is a filter of the groups, such as `count > 10 and sum(amount) < 0`. It sees the values that
	// are printed. Empty means all groups.
	Having string
	// OrderBy is what groups are ordered by: ByKey, ByValue for the first aggregate, keys and aggregates, with
	// commas between them, each perhaps followed by " asc" or " desc", and then by " nulls first" or " nulls
	// last", as in "count desc, city". Keys are ascending otherwise, and aggregates descending; groups without a
	// value come last. Ties are ordered by key, ascending. Empty orders by key.
	OrderBy string
	Skip    int64 // so many of the first groups are not returned
	Limit   int64 // groups that are returned; 0 means all
}

// ByKey orders groups by their keys, byte by byte, ByValue by their first aggregate.
const (
	ByKey   = "key"
	ByValue = "value"
)

// TopKeys asks for the most frequent keys and their counts, the highest count first, ties by key.
type TopKeys struct {
	Keys  string // as in Groups
	Skip  int64  // so many of the first keys are not returned
	Limit int64  // keys that are returned; 0 means all
}

func (Columns) question() query.Question { return query.Question{Kind: query.Columns} }

func (RecordCount) question() query.Question { return query.Question{Kind: query.Rows} }

func (r Records) question() query.Question {
	q := query.Question{Kind: query.Nth, Columns: r.Columns}
	for _, n := range r.Numbers {
		q.Records = append(q.Records, query.Span{First: n, Last: n})
	}
	for _, s := range r.Ranges {
		q.Records = append(q.Records, query.Span(s))
	}
	return q
}

func (s Sample) question() query.Question {
	return query.Question{Kind: query.Sample, Columns: s.Columns, Limit: s.Size, Seed: s.Seed}
}

func (s Select) question() query.Question {
	return query.Question{Kind: query.Select, Columns: s.Columns, By: s.OrderBy, Skip: s.Skip, Limit: s.Limit}
}

func (g Groups) question() query.Question {
	return query.Question{Kind: query.Group, Keys: g.Keys, Aggregates: g.Aggregates, Having: g.Having,
		By: g.OrderBy, Skip: g.Skip, Limit: g.Limit}
}

func (t TopKeys) question() query.Question {
	return query.Question{Kind: query.Top, Keys: t.Keys, Skip: t.Skip, Limit: t.Limit}
}

// run returns the internal specification.
func (s TableSpec) run() (query.Spec, error) {
	spec := query.Spec{Dialect: query.Dialect(s.Dialect), Malformed: options.Malformed(s.Malformed), Where: s.Where}
	if len(s.Questions) == 0 {
		return spec, &failure.SpecError{Err: fmt.Errorf("no question about the table")}
	}
	for i, q := range s.Questions {
		if q == nil {
			return spec, &failure.SpecError{Err: fmt.Errorf("question %d about the table is nil", i)}
		}
		ask := q.question()
		if err := checkQuestion(ask); err != nil {
			return spec, &failure.SpecError{Err: fmt.Errorf("question %d about the table: %w", i, err)}
		}
		spec.Questions = append(spec.Questions, ask)
	}
	if s.Malformed > options.MalformedKeep {
		return spec, &failure.SpecError{Err: fmt.Errorf("field Malformed: %d is unknown", s.Malformed)}
	}
	return spec, nil
}

// checkQuestion rejects what no table can answer.
func checkQuestion(q query.Question) error {
	switch {
	case q.Limit < 0:
		return fmt.Errorf("a limit of %d is negative", q.Limit)
	case q.Skip < 0:
		return fmt.Errorf("%d groups or records to skip are negative", q.Skip)
	case q.Kind == query.Top && q.Keys == "":
		return errors.New("the commonest keys are asked for without keys")
	case q.Kind == query.Nth && len(q.Columns) == 0:
		return errors.New("records are asked for without columns")
	case q.Kind == query.Nth && slices.ContainsFunc(q.Records, func(s query.Span) bool { return s.First < 0 }):
		return errors.New("the number of a record is negative")
	case q.Kind == query.Nth && slices.ContainsFunc(q.Records, func(s query.Span) bool { return s.Last < s.First }):
		return errors.New("a range of records ends before it begins")
	case q.Kind == query.Sample && q.Limit == 0:
		return errors.New("a sample has no size")
	}
	return nil
}

// Table answers questions about delimited text, in one pass. When the input has been read, the answers
// go to out, in the order of the questions, also after a cancelled context: they then cover what was
// read. They are exact, and the same for any number of workers; an estimate has approx in its name.
//
// A specification that cannot be used is a *failure.SpecError, an input that is not delimited text a
// *failure.NotTextError, and a malformed record a *failure.Problem, unless the specification says otherwise. A column
// that is asked for as numbers and has values but no number is a *failure.NotNumbersError, also if Where compares it
// with a number and no record fits.
func Table(ctx context.Context, in *Input, spec TableSpec, o options.Scan, out answer.Writer) (
	answer.TableReport, error) {
	if err := required("ctx", ctx, "out", out); err != nil {
		return answer.TableReport{}, err
	}
	i, err := in.use()
	if err != nil {
		return answer.TableReport{}, err
	}
	s, err := spec.run()
	if err != nil {
		return answer.TableReport{}, err
	}
	return run.Table(ctx, i, s, run.ForScan(o), output(out))
}

// TableAll answers questions about many inputs as if they were one table, with the columns of the first one. The
// header of each input is not a record; it may have the columns in another order, lack some, which are null there, and
// have more, which are not read unless a question names them. It calls only Done of c, for an input that cannot be
// opened; an error that Done returns ends the run.
func TableAll(ctx context.Context, names iter.Seq2[string, error], spec TableSpec, o options.Scan, c Callbacks,
	out answer.Writer) (answer.TableReport, error) {
	if err := required("ctx", ctx, "names", names, "out", out); err != nil {
		return answer.TableReport{}, err
	}
	s, err := spec.run()
	if err != nil {
		return answer.TableReport{}, err
	}
	return run.TableAll(ctx, names, s, run.ForScan(o), c.run(), output(out))
}
