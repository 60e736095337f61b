package thresh

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/big"
	"slices"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/table"
)

// TableSpec says how a table of delimited text is written, and what is asked of it. Columns are named
// by number, from 1, or by name if the first record is a header.
type TableSpec struct {
	Dialect   Dialect
	Malformed Malformed
	// Where is a filter, such as `country = "DE" and amount > 100`; empty means all records.
	Where     string
	Questions []Question // at least one
}

// Dialect is how a table is written. CSV returns the usual one. The zero Dialect is rarely useful: fields
// are separated by NUL bytes.
type Dialect struct {
	Delim  byte // between fields
	Quote  byte // around fields that hold delimiters, quotes or line feeds; 0 means that there is none
	Header bool // the first record of each input names the columns
	// JSON says that each line is an object of JSON. A column is then a path, like user.country or items.0.id,
	// and the other fields must be zero. A value that is null or missing is an empty text where texts or
	// numbers are compared or grouped. Where values are returned, it is null.
	JSON bool
}

// CSV returns the dialect of RFC 4180 with a header: commas and double quotes.
func CSV() Dialect { return Dialect{Delim: ',', Quote: '"', Header: true} }

// Malformed says what happens to records that have more or fewer fields than the first, or quotes out
// of place.
type Malformed uint8

// MalformedFail ends the run at the first malformed record with a *Problem, MalformedSkip leaves such
// records out, and MalformedKeep takes them as they are: missing fields are empty.
const (
	MalformedFail Malformed = iota
	MalformedSkip
	MalformedKeep
)

// Question is a question about a table: RecordCount, Records, Select, Sample, Columns,
// Groups or TopKeys, or a pointer to one.
type Question interface {
	question() table.Question
}

// Select asks for the records that meet the filter, in file order. It must be the only question. Records go
// to the output while the input is read: an implementation of TableWriter gets them from several goroutines,
// one at a time. A Writer gets them formatted, by all workers at once.
type Select struct {
	Columns []string // * is all columns; none means all
	Limit   int64    // records that are returned; 0 means all. The rest of the input is not read.
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
// boolean, text, or empty), how many fields are empty, how many different texts there are, the smallest and the
// greatest value (of texts, byte by byte), and the length of the longest in bytes. It must be the only question.
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
	// OrderBy is what groups are ordered by: ByKey, ByValue for the first aggregate, a key or an
	// aggregate; then perhaps " asc" or " desc". Keys are ascending otherwise, and aggregates
	// descending. Ties are ordered by key, ascending; groups without a value come last. Empty orders by
	// key.
	OrderBy string
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
	Limit int64  // keys that are returned; 0 means all
}

func (Columns) question() table.Question { return table.Question{Kind: table.Columns} }

func (RecordCount) question() table.Question { return table.Question{Kind: table.Rows} }

func (r Records) question() table.Question {
	q := table.Question{Kind: table.Nth, Columns: r.Columns}
	for _, n := range r.Numbers {
		q.Records = append(q.Records, table.Span{First: n, Last: n})
	}
	for _, s := range r.Ranges {
		q.Records = append(q.Records, table.Span(s))
	}
	return q
}

func (s Sample) question() table.Question {
	return table.Question{Kind: table.Sample, Columns: s.Columns, Limit: s.Size, Seed: s.Seed}
}

func (s Select) question() table.Question {
	return table.Question{Kind: table.Select, Columns: s.Columns, Limit: s.Limit}
}

func (g Groups) question() table.Question {
	return table.Question{Kind: table.Group, Keys: g.Keys, Aggregates: g.Aggregates, Having: g.Having,
		By: g.OrderBy, Limit: g.Limit}
}

func (t TopKeys) question() table.Question {
	return table.Question{Kind: table.Top, Keys: t.Keys, Limit: t.Limit}
}

// run returns the internal specification.
func (s TableSpec) run() (table.Spec, error) {
	spec := table.Spec{Dialect: table.Dialect(s.Dialect), Malformed: table.Malformed(s.Malformed), Where: s.Where}
	if len(s.Questions) == 0 {
		return spec, &SpecError{fmt.Errorf("no question about the table")}
	}
	for i, q := range s.Questions {
		if q == nil {
			return spec, &SpecError{fmt.Errorf("question %d about the table is nil", i)}
		}
		ask := q.question()
		if err := checkQuestion(ask); err != nil {
			return spec, &SpecError{fmt.Errorf("question %d about the table: %w", i, err)}
		}
		spec.Questions = append(spec.Questions, ask)
	}
	if s.Malformed > MalformedKeep {
		return spec, &SpecError{fmt.Errorf("Malformed %d is unknown", s.Malformed)}
	}
	return spec, nil
}

// checkQuestion rejects what no table can answer.
func checkQuestion(q table.Question) error {
	switch {
	case q.Limit < 0:
		return fmt.Errorf("a limit of %d is negative", q.Limit)
	case q.Kind == table.Top && q.Keys == "":
		return errors.New("the commonest keys are asked for without keys")
	case q.Kind == table.Nth && len(q.Columns) == 0:
		return errors.New("records are asked for without columns")
	case q.Kind == table.Nth && slices.ContainsFunc(q.Records, func(s table.Span) bool { return s.First < 0 }):
		return errors.New("the number of a record is negative")
	case q.Kind == table.Nth && slices.ContainsFunc(q.Records, func(s table.Span) bool { return s.Last < s.First }):
		return errors.New("a range of records ends before it begins")
	case q.Kind == table.Sample && q.Limit == 0:
		return errors.New("a sample has no size")
	}
	return nil
}

// TableOptions say how a table is read. The zero value is the best choice nearly always. The fields
// are as in Options, except that MemoryBytes bounds the groups as well; groups beyond that go to
// temporary files.
type TableOptions struct {
	Offset int64  // of the first byte that is read, which begins a record
	Length *int64 // in bytes; nil means to the end

	Engine      Engine
	Workers     int
	ChunkBytes  int
	MemoryBytes int64
	Cache       Cache
	Receipt     bool
	Progress    *atomic.Int64
}

func (o TableOptions) run() run.Options {
	return Options{Offset: o.Offset, Length: o.Length, Engine: o.Engine, Workers: o.Workers, ChunkBytes: o.ChunkBytes,
		MemoryBytes: o.MemoryBytes, Cache: o.Cache, Receipt: o.Receipt, Progress: o.Progress}.run()
}

// TableReport tells what a pass over a table did.
type TableReport struct {
	Records   int64 // that meet the filter
	Empty     int64 // lines without any bytes, which are not records
	Malformed int64 // records
	// MalformedLines and MalformedBytes are the size of the malformed records. A record with a quoted
	// field that is not closed may have many lines.
	MalformedLines, MalformedBytes int64
	Problems                       []Problem    // the first malformed records
	NotNumbers                     []NotNumbers // in columns that were aggregated as numbers
	Absent                         []Absent     // paths of lines of JSON that are most likely misspelled

	Bytes    int64
	Cut      int64 // bytes of records that are not in the answers because a part of them could not be read
	Complete bool
	Unread   []UnreadError
	Receipt  Receipt
}

// NotNumbers describes the fields of a column that are not numbers. They are left out of aggregates.
type NotNumbers struct {
	Column string
	Number int // of the column, from 1; 0 in lines of JSON, and if it is an expression
	Count  int64
	First  Problem
}

// Absent is a path that no line had of those that were read.
type Absent struct {
	Column string
	Like   string // paths that lines had and that look like it, quoted, with "or" between them; "" for none
}

func newTableReport(r run.TableReport) TableReport {
	report := TableReport{Records: r.Records, Empty: r.Empty, Malformed: r.Malformed, MalformedLines: r.MalformedLines,
		MalformedBytes: r.MalformedBytes, Bytes: r.Bytes, Cut: r.Cut, Complete: r.Complete, Unread: unread(r.Unread),
		Receipt: newReceipt(r.Receipt)}
	for _, p := range r.Problems {
		report.Problems = append(report.Problems, Problem(p))
	}
	for _, b := range r.Bad {
		report.NotNumbers = append(report.NotNumbers, NotNumbers{b.Column, b.Number, b.Count, Problem(b.First)})
	}
	for _, a := range r.Absent {
		report.Absent = append(report.Absent, Absent(a))
	}
	return report
}

// Table answers questions about delimited text, in one pass. When the input has been read, the answers
// go to out, in the order of the questions, also after a cancelled context: they then cover what was
// read. They are exact, and the same for any number of workers; an estimate has approx in its name.
//
// A specification that cannot be used is a *SpecError, an input that is not delimited text a
// *NotTextError, and a malformed record a *Problem, unless the specification says otherwise.
func Table(ctx context.Context, in *Input, spec TableSpec, o TableOptions, out TableWriter) (TableReport, error) {
	i, err := in.use()
	if err != nil {
		return TableReport{}, err
	}
	s, err := spec.run()
	if err != nil {
		return TableReport{}, err
	}
	r, err := run.Table(ctx, i, s, o.run(), &tableOutput{out: out})
	return newTableReport(r), public(err)
}

// TableAll answers questions about many inputs as if they were one table. The header of each input is
// not a record. It calls only the visitor's Done, for an input that cannot be opened; an error that Done
// returns ends the run.
func TableAll(ctx context.Context, names iter.Seq2[string, error], spec TableSpec, o TableOptions, v Visitor,
	out TableWriter) (TableReport, error) {
	s, err := spec.run()
	if err != nil {
		return TableReport{}, err
	}
	r, err := run.TableAll(ctx, names, s, o.run(), v.run(), &tableOutput{out: out})
	return newTableReport(r), public(err)
}

// TableWriter receives answers one after the other: a call of Begin, any number of Row, one of End. Cells
// are valid during the call only. An error ends the run and is returned. Writer and Answers are
// implementations.
type TableWriter interface {
	// Begin starts the answer to the next question. The title tells answers apart.
	Begin(title string, columns []Column) error
	// Row adds a row, which has a cell for each column.
	Row(cells []Cell) error
	// End ends the answer. Notes are for people: how exact an estimate is, for example.
	End(notes []string) error
}

// Column is the heading of a column of an answer.
type Column struct {
	Name  string
	Type  ColumnType
	Scale int // of DecimalColumn: digits behind the point
}

// ColumnType says what the cells of a column are, and which field of Cell holds them.
type ColumnType uint8

// The types of columns.
const (
	TextColumn    ColumnType = iota // bytes, in Text
	IntegerColumn                   // in Int
	DecimalColumn                   // exact: Int, or Big if it is not nil, times 10^-Scale
	FloatColumn                     // in Float
)

// Cell is a value of an answer. If Null is set there is none.
type Cell struct {
	Null  bool
	Text  []byte
	Int   int64
	Big   *big.Int
	Float float64
}

// Answer is an answer in memory.
type Answer struct {
	Title   string
	Columns []Column
	Rows    [][]Cell
	Notes   []string
}

// errNotBegun is returned for a row or an end without an answer.
var errNotBegun = errors.New("no answer has begun")

// Answers keeps answers in memory. It is a TableWriter.
type Answers []Answer

// Begin starts an answer.
func (a *Answers) Begin(title string, columns []Column) error {
	*a = append(*a, Answer{Title: title, Columns: append([]Column(nil), columns...)})
	return nil
}

// Row keeps a copy of a row.
func (a *Answers) Row(cells []Cell) error {
	row := append([]Cell(nil), cells...)
	for i := range row {
		row[i].Text = append([]byte(nil), row[i].Text...)
		if row[i].Big != nil {
			row[i].Big = new(big.Int).Set(row[i].Big)
		}
	}
	if len(*a) == 0 {
		return errNotBegun
	}
	last := &(*a)[len(*a)-1]
	last.Rows = append(last.Rows, row)
	return nil
}

// End ends an answer.
func (a *Answers) End(notes []string) error {
	if len(*a) == 0 {
		return errNotBegun
	}
	(*a)[len(*a)-1].Notes = append([]string(nil), notes...)
	return nil
}

// tableOutput passes internal answers on to a TableWriter.
type tableOutput struct {
	out   TableWriter
	cells []Cell
}

// Begin starts an answer.
func (t *tableOutput) Begin(title string, columns []table.Column) error {
	return t.out.Begin(title, headings(columns))
}

func headings(columns []table.Column) []Column {
	headings := make([]Column, len(columns))
	for i, c := range columns {
		headings[i] = Column{c.Name, ColumnType(c.Type), c.Scale}
	}
	return headings
}

// Format returns the format of rows of a Writer, if its format has one.
func (t *tableOutput) Format(columns []table.Column) table.RowFormat {
	if w, ok := t.out.(*Writer); ok {
		return w.rowFormat(headings(columns))
	}
	return nil
}

// Rows passes formatted rows on.
func (t *tableOutput) Rows(text []byte) error { return t.out.(*Writer).rows(text) }

// Row passes a row on.
func (t *tableOutput) Row(cells []table.Cell) error {
	t.cells = t.cells[:0]
	for _, c := range cells {
		t.cells = append(t.cells, Cell(c))
	}
	return t.out.Row(t.cells)
}

// End ends an answer.
func (t *tableOutput) End(notes []string) error { return t.out.End(notes) }
