package filter

import (
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// Compared is an operand whose values are compared with a number. If none of them is one, no comparison with it is
// true, neither < nor >=, and a filter that selects nothing was hardly meant. Equality is left out: that no value
// equals a number is an answer.
type Compared struct {
	Column  int
	Sliced  bool
	Numbers bool  // some value is a number; then the other fields mean nothing
	Bad     int64 // values that are not numbers; null is no value
	First   int   // the first record of the batch whose value is not a number, -1 for none
	Field   records.Span
}

// Compared returns the operands of a worker. First and Field are those of the last batch.
func (w *Worker) Compared() []*Compared { return w.compared }

// comparedOf returns what is known of an operand, nil for a relation that needs no watching.
func (b *builder) comparedOf(o operand, rel expr.Relation) *Compared {
	if rel == expr.Equal {
		return nil
	}
	o.text = ""
	c := b.compared[o]
	if c == nil {
		f := fieldsOf(o)
		c = &Compared{Column: o.column, Sliced: f.cut != nil, First: -1}
		b.compared[o] = c
		b.watched = append(b.watched, c)
	}
	return c
}

// look sees the numbers of a batch.
func (c *Compared) look(b *batch, column records.Column, sel records.Selection, n *decimal.Numbers) {
	if c.Numbers || b.again || len(sel) == 0 {
		return
	}
	if n.AllPlain {
		c.Numbers = true
		return
	}
	for _, i := range sel {
		switch {
		case isNumber(n.Kinds[i]):
			c.Numbers = true
			return
		case column[i].Len == 0 && value.IsNull(b.text, column[i], b.mark):
			continue
		case c.First < 0:
			c.First, c.Field = int(i), column[i]
		}
		c.Bad++
	}
}
