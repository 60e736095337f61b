package table

import (
	"errors"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/hashjoin"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/row"
)

// Loader takes the records of a Select of Need.Columns into memory. It is a Formatter: all workers encode rows at once.
type Loader struct {
	need  query.Need
	Table *hashjoin.Table
}

// NewLoader returns a loader of rows that may take so many bytes.
func NewLoader(n query.Need, most int64) *Loader { return &Loader{n, hashjoin.New(most)} }

// Select returns the question whose records it takes.
func (l *Loader) Select() query.Question {
	return query.Question{Kind: query.Select, Columns: l.need.Columns}
}

// Begin begins the answer.
func (l *Loader) Begin(string, []answer.Column) error { return nil }

// End ends the answer: the table can be joined.
func (l *Loader) End([]string) error {
	l.Table.Index()
	return nil
}

// Row is not called, since the rows are formatted.
func (l *Loader) Row([]answer.Cell) error {
	return errors.New("thresh: bug: a row that is not formatted")
}

// Format returns the format of rows for one worker.
func (l *Loader) Format([]answer.Column) row.Format { return &rowEncoder{need: &l.need} }

// Rows adds encoded rows.
func (l *Loader) Rows(text []byte) error { return l.Table.Add(text) }

// rowEncoder encodes rows for a table in memory.
type rowEncoder struct {
	need *query.Need
	key  []byte
}

// Append appends a row, unless its key equals none and nothing else needs it.
func (e *rowEncoder) Append(dst []byte, fields [][]byte) ([]byte, error) {
	keys := len(e.need.Numbers)
	key := e.key[:0]
	for k, number := range e.need.Numbers {
		ok := fields[k] != nil
		if ok {
			key, ok = appendJoinKey(key, fields[k], number, keys > 1)
		}
		switch {
		case ok:
		case !e.need.All:
			return dst, nil
		default:
			return hashjoin.AppendRow(dst, nil, fields[keys:]), nil
		}
	}
	if e.key = key; key == nil {
		key = []byte{}
	}
	return hashjoin.AppendRow(dst, key, fields[keys:]), nil
}

// KeepsJSON reports that rows in memory are not JSON.
func (e *rowEncoder) KeepsJSON() bool { return false }

// AsWritten is not for rows in memory.
func (e *rowEncoder) AsWritten(byte, byte) bool { return false }

// Needs returns what must be in memory, in the order in which it is joined. It follows Input.
func (r *Run) Needs() (needs []query.Need) {
	if r.query == nil {
		return nil
	}
	for _, j := range r.query.Joins {
		n := query.Need{Source: j.Index, Numbers: j.Numbers, All: j.KeepsRows() || j.How == query.NotIn}
		own := func(c int) string { return r.query.OwnName(j, c) }
		for _, side := range j.Sides {
			n.Columns = append(n.Columns, side.Named(own))
		}
		if j.Where != nil {
			n.Where = expr.All(j.Where...).Named(own)
		}
		for _, d := range j.Columns {
			n.Columns = append(n.Columns, expr.Column(r.query.Derived.First+d, "", false).Named(own))
		}
		needs = append(needs, n)
	}
	return needs
}

// First returns what the first input begins with. It follows Input.
func (r *Run) First() query.First {
	if r.query == nil {
		return query.First{}
	}
	return r.query.First
}
