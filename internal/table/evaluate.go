package table

import (
	"slices"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// evaluation is a computed aggregate as a result, for one goroutine.
type evaluation struct {
	*computed
	t *groupWriter // nil before there are groups
}

// evaluate evaluates the expression for a group. exact is false if it was computed from an estimate.
func (c evaluation) evaluate(words []uint64, s *agg.Store) (v value.Value, exact bool) {
	t := c.t
	before := slices.Clone(t.inexact)
	keys := t.keyCells(nil, t.key)
	texts := make([][]byte, len(c.at))
	result := c.expr.Value(func(column int) []byte {
		if column < len(keys) {
			if keys[column].Null {
				return nil
			}
			return keys[column].Text
		}
		i := column - len(keys)
		if texts[i] == nil {
			if cell := t.cell(c.at[i], words, s); !cell.Null {
				texts[i] = t.columns[len(keys)+c.at[i]].AppendText([]byte{}, &cell)
			}
		}
		return texts[i]
	})
	exact = true
	for _, i := range c.at {
		if t.inexact[i] != before[i] {
			exact = false
			c.inexact.Store(int64(i))
		}
	}
	copy(t.inexact, before) // notes are about what is shown
	return result, exact
}

func (c evaluation) Number(_ *agg.Reader, words []uint64, s *agg.Store) (n decimal.Number, null, exact bool) {
	v, exact := c.evaluate(words, s)
	n, ok := v.Number()
	return n, !ok || n.IsNaN(), exact
}

func (c evaluation) Text(_ *agg.Reader, words []uint64, s *agg.Store) (text []byte, exact bool) {
	v, exact := c.evaluate(words, s)
	return v.Text(), exact
}

// typed returns the type of the values.
func (c *computed) typed(k []batch.Known) expr.Type {
	return c.expr.Type(func(column int) expr.Type {
		i := column - len(c.answer.keys)
		if i < 0 {
			return expr.Type{}
		}
		g := c.answer.aggregates[c.at[i]].result
		switch h := g.Heading(k); {
		case h.Type == answer.ColumnFloat:
			return expr.Type{Kind: expr.Float}
		case h.Type != answer.ColumnText:
			return expr.Type{Kind: expr.Exact, Scale: h.Scale}
		case g.Times(k):
			return expr.Type{Kind: expr.Timestamp}
		}
		return expr.Type{}
	})
}

func (c evaluation) Heading(k []batch.Known) answer.Column {
	switch t := c.typed(k); t.Kind {
	case expr.Exact:
		return answer.Column{Type: answer.ColumnDecimal, Scale: t.Scale}
	case expr.Float:
		return answer.Column{Type: answer.ColumnFloat}
	}
	return answer.Column{Type: answer.ColumnText}
}

func (c evaluation) Times(k []batch.Known) bool {
	t := c.typed(k).Kind
	return t == expr.Date || t == expr.Timestamp
}

func (evaluation) Word([]uint64) (v int64, null, ok bool)           { return 0, false, false }
func (evaluation) Scale([]batch.Known) (scale int, ok bool)         { return 0, false }
func (evaluation) Quick(*agg.Reader, []uint64) (f float64, ok bool) { return 0, false }

// Remark is that of an aggregate that was not exact.
func (c evaluation) Remark(groups int64) string {
	return c.answer.aggregates[c.inexact.Load()].result.Remark(groups)
}
