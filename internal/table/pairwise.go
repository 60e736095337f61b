package table

import (
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/row"
)

// pairwise has the functions of pairs of numbers. A record counts if both are numbers.
var pairwise = []function{
	{names: []string{"corr"}, takes: twoColumns, bind: coefficientOf(coefficient{of: correlation})},
	{names: []string{"covar_pop"}, takes: twoColumns, bind: coefficientOf(coefficient{of: covariance})},
	{names: []string{"covar_samp"}, takes: twoColumns, bind: coefficientOf(coefficient{of: covariance, sample: true})},
}

var twoColumns = []parameter{{name: "Y"}, {name: "X"}}

// coefficient is what is computed from the sums of pairs, rounded once.
type coefficient struct {
	numeric
	joint  *joint
	of     func(j *decimal.Joint, divisor int64) float64
	sample bool // the pairs are a sample of all
}

func correlation(j *decimal.Joint, _ int64) float64      { return j.Correlation() }
func covariance(j *decimal.Joint, divisor int64) float64 { return j.Covariance(divisor) }

func coefficientOf(kind coefficient) func(a *groupAnswer, q *query, g *aggregate) result {
	return func(a *groupAnswer, q *query, g *aggregate) result {
		r, y, x := kind, q.wantNumbers(g.columns[0], strict), q.wantNumbers(g.columns[1], strict)
		r.joint = objectOf(a, q, g.columns, func(k kept) *joint { return &joint{k, y, x} })
		return &r
	}
}

func (*coefficient) heading(*Run) row.Column { return row.Column{Type: row.Float} }

func (r *coefficient) number(_ *groupWriter, words []uint64, s *store) (n decimal.Number, null, exact bool) {
	if words[r.joint.at] == 0 {
		return n, true, true
	}
	j := find[decimal.Joint](s, r.joint.at, words[r.joint.at])
	divisor := j.N
	if r.sample {
		divisor--
	}
	if divisor == 0 {
		return n, true, true
	}
	n = decimal.FromFloat(r.of(j, divisor))
	return n, n.IsNaN(), true
}

// joint adds up pairs of numbers of two columns.
type joint struct {
	kept
	y, x int // indexes in query.numbers
}

func (*joint) layout(a *groupAnswer) { a.addHandle(false, newSlots[decimal.Joint]) }

func (o *joint) add(w *worker, g *grouper, sel records.Selection, ids []uint32, words []uint64) error {
	x, y, sums := w.numbers[o.x], w.numbers[o.y], slotsOf[decimal.Joint](g.store, o.at)
	for j, i := range sel {
		if x.Kinds[i] == decimal.Plain && y.Kinds[i] == decimal.Plain {
			sums.at(&words[int(ids[j])+o.at]).AddPlain(x.Mantissa[i], y.Mantissa[i], x.Scale, y.Scale)
			continue
		}
		a, okA := w.numberAt(o.x, i)
		b, okB := w.numberAt(o.y, i)
		if okA && okB {
			sums.at(&words[int(ids[j])+o.at]).Add(a, b)
		}
	}
	return nil
}

// numberAt returns the number of a record in a number column; ok is false if it has none.
func (w *worker) numberAt(number int, i uint16) (n decimal.Number, ok bool) {
	switch all := w.numbers[number]; all.Kinds[i] {
	case decimal.Plain:
		return decimal.FromPlain(all.Mantissa[i], all.Scale), true
	case decimal.Irregular:
		n, _ = decimal.Parse(w.columns[w.slots[number]][i].Of(w.text))
		return n, true
	}
	return n, false
}
