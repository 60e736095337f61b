package table

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/internal/table/key"
)

// Formatter is an Output that also takes rows of texts as bytes, so that all workers can format rows
// at once.
type Formatter interface {
	Output
	// Format returns the format of rows of these columns for one goroutine, nil if rows must be given to Row.
	Format(columns []Column) RowFormat
	// Rows writes formatted rows. Begin was called before.
	Rows(text []byte) error
}

// RowFormat formats rows.
type RowFormat interface {
	// Append appends a row of texts to dst. A nil text is null. It keeps none of them.
	Append(dst []byte, fields [][]byte) []byte
	// AppendJSON appends a row of values that are JSON. It returns false if the format is another.
	AppendJSON(dst []byte, values [][]byte) ([]byte, bool)
	// AsWritten reports whether a row of a table with this delimiter and this quote, 0 for none, looks the same
	// in this format if there is neither a quote nor a carriage return in it, and more than one field.
	AsWritten(delim, quote byte) bool
}

// selectAnswer prints matching records, while the inputs are read.
type selectAnswer struct {
	columns  []int
	heading  []Column
	verbatim bool // all columns in order: a record is printed as it is
	limit    int64
	printer  *printer
}

func (q *query) newSelect(ask *Question, resolve key.Resolve) (*selectAnswer, error) {
	if len(q.Questions) > 1 {
		return nil, errors.New("--select prints records while they are read: it must be the only question")
	}
	if q.first.paths != nil && (len(ask.Columns) == 0 || slices.Equal(ask.Columns, []string{allColumns})) {
		a := &selectAnswer{heading: []Column{{Name: allColumns}}, verbatim: true, limit: ask.Limit}
		a.printer = &printer{answer: a}
		return a, nil
	}
	columns, err := q.selected("--select", ask.Columns, resolve)
	if err != nil {
		return nil, err
	}
	a := &selectAnswer{columns: columns, limit: ask.Limit,
		verbatim: len(columns) == q.first.Fields && q.first.paths == nil}
	for i, c := range columns {
		a.verbatim = a.verbatim && c == i
	}
	a.heading = unique(q.headingOf(columns))
	a.printer = &printer{answer: a}
	return a, nil
}

// selected resolves columns that are printed as they are. None means all, and so does "*".
func (q *query) selected(flag string, names []string, resolve key.Resolve) (columns []int, err error) {
	if len(names) == 0 {
		names = []string{allColumns}
	}
	for _, name := range names {
		if name == allColumns && q.first.paths != nil {
			return nil, fmt.Errorf("%s: lines of JSON may have any keys: name columns", flag)
		}
		if name == allColumns {
			for c := range max(q.first.Fields, 1) { // of an empty table one, whatever it is
				columns = append(columns, c)
			}
			continue
		}
		k, err := key.Parse(name, resolve, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		if !k.IsColumn() {
			return nil, fmt.Errorf("%s: %s is not a column", flag, name)
		}
		columns = append(columns, k.Column)
	}
	q.want(columns...)
	return columns, nil
}

// allColumns stands for all columns in a list.
const allColumns = "*"

func (q *query) headingOf(columns []int) (heading []Column) {
	for _, c := range columns {
		heading = append(heading, Column{Name: q.first.name(c), Type: Text})
	}
	return heading
}

// write ends the answer: the records have been printed.
func (a *selectAnswer) write(_ context.Context, _ *Run, out Output) error {
	if a.printer.out == nil { // no record was read
		a.printer.out = out
	}
	return a.printer.end()
}
