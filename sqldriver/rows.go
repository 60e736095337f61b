package sqldriver

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
)

// batchRows is how many rows are sent at once if they are not asked for sooner.
const batchRows = 256

// event is a part of an answer on its way: its columns first, then its rows, then its end.
type event struct {
	columns []answer.Column
	rows    [][]driver.Value
	ended   bool
}

// rows are the answers of statements, which a goroutine finds.
type rows struct {
	events     chan event
	cancel     context.CancelFunc
	err        error // of the run, once events is closed
	parseTime  bool
	statements int
	answers    int // that have begun
	columns    []answer.Column
	batch      [][]driver.Value
	ended      bool
}

// start answers statements, and returns when the columns of the first answer are known.
func (c *Connector) start(ctx context.Context, statements []*thresh.Statement) (driver.Rows, error) {
	ctx, cancel := context.WithCancel(ctx)
	r := &rows{events: make(chan event, 1), cancel: cancel, statements: len(statements), parseTime: c.ParseTime}
	go func() {
		defer close(r.events)
		to := &sender{ctx: ctx, to: r.events, parseTime: c.ParseTime}
		for report, err := range thresh.SQLAll(ctx, statements, c.Options, to.next) {
			if err == nil && !report.Complete {
				err = incomplete(&report)
			}
			if err == nil && c.Report != nil {
				c.Report(report) // before the reader sees the end of the answer
			}
			if err == nil {
				err = to.end()
			}
			if err != nil {
				r.err = err
				return
			}
		}
	}()
	if err := r.NextResultSet(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func incomplete(r *answer.TableReport) error {
	if len(r.Unread) > 0 {
		return &r.Unread[0]
	}
	return errors.New("the answer is incomplete")
}

// sender is the answer.Writer of the goroutine. It waits while two batches are on their way.
type sender struct {
	ctx       context.Context
	to        chan<- event
	parseTime bool
	batch     [][]driver.Value
}

func (s *sender) next(int) (answer.Writer, error) { return s, nil }

func (s *sender) send(e event) error {
	select {
	case s.to <- e:
		return nil
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}

// Begin passes the columns on.
func (s *sender) Begin(_ string, columns []answer.Column) error {
	return s.send(event{columns: append([]answer.Column{}, columns...)})
}

// Row keeps a row, and passes rows on if they are waited for, or are many.
func (s *sender) Row(cells []answer.Cell) error {
	row := make([]driver.Value, len(cells))
	for i, c := range cells {
		row[i] = valueOf(c, s.parseTime)
	}
	s.batch = append(s.batch, row)
	if len(s.batch) < batchRows {
		select {
		case s.to <- event{rows: s.batch}:
			s.batch = nil
		default:
		}
		return s.ctx.Err()
	}
	batch := s.batch
	s.batch = nil
	return s.send(event{rows: batch})
}

// End leaves it to end to say that the answer has ended, when it is known that it is complete.
func (s *sender) End([]string) error { return nil }

func (s *sender) end() error {
	batch := s.batch
	s.batch = nil
	return s.send(event{rows: batch, ended: true})
}

// valueOf returns a cell as database/sql has it.
func valueOf(c answer.Cell, parseTime bool) driver.Value {
	switch {
	case c.Null:
		return nil
	case c.Type == answer.ColumnInteger:
		return c.Int
	case c.Type == answer.ColumnFloat:
		return c.Float
	case c.Type == answer.ColumnText && parseTime:
		if at, err := c.Time(); err == nil {
			return at
		}
	}
	return c.String()
}

// Columns returns the names of the columns.
func (r *rows) Columns() []string {
	names := make([]string, len(r.columns))
	for i, c := range r.columns {
		names[i] = c.Name
	}
	return names
}

// Close ends the run, and waits for it.
func (r *rows) Close() error {
	r.cancel()
	for range r.events { // until the goroutine has ended
	}
	return nil
}

// receive takes the next part of the answer.
func (r *rows) receive() error {
	e, ok := <-r.events
	if !ok {
		r.ended = true
		return cmp.Or(r.err, io.EOF)
	}
	if e.columns != nil {
		r.columns = e.columns
	}
	r.batch, r.ended = e.rows, e.ended
	return nil
}

// Next copies the next row.
func (r *rows) Next(to []driver.Value) error {
	for len(r.batch) == 0 {
		if r.ended {
			return io.EOF
		}
		if err := r.receive(); err != nil {
			return err
		}
	}
	copy(to, r.batch[0])
	r.batch = r.batch[1:]
	return nil
}

// HasNextResultSet reports whether a statement follows.
func (r *rows) HasNextResultSet() bool { return r.answers < r.statements }

// NextResultSet goes to the answer of the next statement.
func (r *rows) NextResultSet() error {
	if !r.HasNextResultSet() {
		return io.EOF
	}
	for r.answers > 0 && !r.ended {
		if err := r.receive(); err != nil {
			return err
		}
	}
	r.answers++
	r.ended = false
	return r.receive()
}

// Types of columns: their names in SQL, and what their values are.
var types = map[answer.ColumnType]struct {
	name  string
	value any
}{
	answer.ColumnText: {"VARCHAR", ""}, answer.ColumnInteger: {"BIGINT", int64(0)},
	answer.ColumnDecimal: {"DECIMAL", ""}, answer.ColumnFloat: {"DOUBLE", float64(0)},
}

// ColumnTypeDatabaseTypeName returns the type of a column as SQL names it.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string { return types[r.columns[i].Type].name }

// ColumnTypeScanType returns what the values of a column are; with ParseTime a text may be a time.
func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	if r.parseTime && r.columns[i].Type == answer.ColumnText {
		return reflect.TypeFor[any]()
	}
	return reflect.TypeOf(types[r.columns[i].Type].value)
}

// ColumnTypePrecisionScale returns the digits after the point of decimals; how many there are before it is not known.
func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	return 0, int64(r.columns[i].Scale), r.columns[i].Type == answer.ColumnDecimal
}
