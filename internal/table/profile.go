package table

import (
	"bytes"
	"context"
	"slices"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// profiled is what a worker knows of a column.
type profiled struct {
	nulls, filled int64
	widest        int
	min, max      []byte // of the texts, where some are numbers and others are not
	shapes        shape
}

// shape is a set of ways in which texts are written.
type shape uint8

const (
	isDate shape = 1 << iota
	isTime
	isBoolean
	anyShape = isDate | isTime | isBoolean
)

// profiler describes the columns of a worker's records.
type profiler struct{ columns []profiled }

// Close does nothing: there is nothing but memory.
func (*profiler) Close() error { return nil }

// add adds the records of a batch to what is known of the columns.
func (p *profiler) add(w *worker, sel records.Selection) error {
	for c := range p.columns {
		p, column := &p.columns[c], w.Columns[c]
		for _, i := range sel {
			field := w.Field(column[i])
			if field == nil {
				p.nulls++
				continue
			}
			p.widest = max(p.widest, len(field))
			if p.filled++; p.filled == 1 {
				p.min, p.max = append(p.min[:0], field...), append(p.max[:0], field...)
				p.shapes = anyShape
			} else if bytes.Compare(field, p.min) < 0 {
				p.min = append(p.min[:0], field...)
			} else if bytes.Compare(field, p.max) > 0 {
				p.max = append(p.max[:0], field...)
			}
			if p.shapes != 0 {
				p.shapes &= shapesOf(field)
			}
		}
	}
	return nil
}

// merge adds what another worker knows of the same column.
func (p *profiled) merge(o *profiled) {
	p.nulls += o.nulls
	if o.filled == 0 {
		return
	}
	p.widest = max(p.widest, o.widest)
	if p.filled == 0 {
		p.min, p.max, p.shapes = o.min, o.max, anyShape
	}
	if p.filled += o.filled; bytes.Compare(o.min, p.min) < 0 {
		p.min = o.min
	}
	if bytes.Compare(o.max, p.max) > 0 {
		p.max = o.max
	}
	p.shapes &= o.shapes
}

// shapesOf returns the ways in which a text is written.
func shapesOf(text []byte) shape {
	if t, ok := value.ParseTime(text); ok && t.HasClock() {
		return isTime
	} else if ok {
		return isDate | isTime // a date is also the time at which it begins
	}
	if bytes.EqualFold(text, []byte("true")) || bytes.EqualFold(text, []byte("false")) {
		return isBoolean
	}
	return 0
}

// oneRow is an Output that keeps the one row of an answer.
type oneRow struct {
	columns []answer.Column
	cells   []answer.Cell
}

func (o *oneRow) Begin(_ string, columns []answer.Column) error { o.columns = columns; return nil }
func (o *oneRow) Row(cells []answer.Cell) error                 { o.cells = slices.Clone(cells); return nil }
func (o *oneRow) End([]string) error                            { return nil }

// text returns a cell as text.
func (o *oneRow) text(i int) []byte { return o.columns[i].AppendText(nil, &o.cells[i]) }

// writeProfile writes a row for each column.
func (r *Run) writeProfile(ctx context.Context, a *query.ProfilePlan, out answer.Writer) error {
	const whole = answer.ColumnInteger
	err := out.Begin("columns", []answer.Column{{Name: "column"}, {Name: "type"}, {Name: "null", Type: whole},
		{Name: "distinct", Type: whole}, {Name: "min"}, {Name: "max"}, {Name: "widest", Type: whole}})
	if err != nil {
		return err
	}
	if a.Columns == 0 {
		return out.End(nil)
	}
	var one oneRow
	if err := r.writeGroups(ctx, a.Numbers, &one); err != nil {
		return err
	}
	for c := range a.Columns {
		if err := out.Row(r.profileRow(c, &one)); err != nil {
			return err
		}
	}
	return out.End(nil)
}

func (r *Run) profileRow(c int, one *oneRow) []answer.Cell {
	var p profiled
	seen := r.seenOf(slices.Index(r.query.Numbers, c))
	for _, o := range operatorsOf(r, func(*profiler) bool { return true }) {
		p.merge(&o.columns[c])
	}
	least, greatest := answer.Cell{Text: p.min}, answer.Cell{Text: p.max}
	kind := "text"
	if seen.Bad == 0 || seen.AsText() { // all values are of one kind, by which min and max compare them
		least, greatest = answer.Cell{Text: one.text(3 * c)}, answer.Cell{Text: one.text(3*c + 1)}
	}
	switch {
	case p.filled == 0:
		kind, least, greatest = "null", answer.Cell{Null: true}, answer.Cell{Null: true}
	case seen.Bad == 0:
		kind = [...]string{answer.ColumnInteger: "integer", answer.ColumnDecimal: "decimal",
			answer.ColumnFloat: "float"}[one.columns[3*c].Type]
		if kind == "decimal" && one.columns[3*c].Scale == 0 { // integers of more than 64 bits
			kind = "integer"
		}
	case p.shapes&isDate != 0:
		kind = "date"
	case p.shapes&isTime != 0:
		kind = "timestamp"
	case p.shapes&isBoolean != 0:
		kind = "boolean"
	}
	return []answer.Cell{{Text: []byte(r.query.First.Name(c))}, {Text: []byte(kind)}, {Int: p.nulls},
		{Int: one.cells[3*c+2].Int},
		least, greatest, {Int: int64(p.widest)}}
}
