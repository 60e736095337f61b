package table

import (
	"slices"

	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// evaluation is a computed aggregate as a result, for one goroutine.
type evaluation struct {
	*query.Computed
	t *groupWriter
}

// evaluate evaluates the expression for a group. exact is false if it was computed from an estimate.
func (c evaluation) evaluate(words []uint64, s *agg.Store) (v value.Value, exact bool) {
	t := c.t
	before := slices.Clone(t.inexact)
	keys := t.keyCells(nil, t.key)
	texts := make([][]byte, len(c.At))
	result := c.Expr.Value(func(column int) []byte {
		if column < len(keys) {
			if keys[column].Null {
				return nil
			}
			return keys[column].Text
		}
		i := column - len(keys)
		if texts[i] == nil {
			if cell := t.cell(c.At[i], words, s); !cell.Null {
				texts[i] = t.columns[len(keys)+c.At[i]].AppendText([]byte{}, &cell)
			}
		}
		return texts[i]
	})
	exact = true
	for _, i := range c.At {
		if t.inexact[i] != before[i] {
			exact = false
			c.Inexact.Store(int64(i))
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

func (evaluation) Word([]uint64) (v int64, null, ok bool)           { return 0, false, false }
func (evaluation) Scale([]batch.Known) (scale int, ok bool)         { return 0, false }
func (evaluation) Quick(*agg.Reader, []uint64) (f float64, ok bool) { return 0, false }
