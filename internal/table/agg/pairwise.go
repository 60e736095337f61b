package agg

import (
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
)

// pairwise has the functions of pairs of numbers. A record counts if both are numbers.
var pairwise = []Function{
	{names: []string{"corr"}, takes: twoColumns, bind: coefficientOf(coefficient{of: correlation})},
	{names: []string{"covar_pop"}, takes: twoColumns, bind: coefficientOf(coefficient{of: covariance})},
	{names: []string{"covar_samp"}, takes: twoColumns, bind: coefficientOf(coefficient{of: covariance, sample: true})},
}

var twoColumns = []Parameter{{name: "Y"}, {name: "X"}}

// coefficient is what is computed from the sums of pairs, rounded once.
type coefficient struct {
	numeric
	joint  *joint
	of     func(j *decimal.Joint, divisor int64) float64
	sample bool // the pairs are a sample of all
}

func correlation(j *decimal.Joint, _ int64) float64      { return j.Correlation() }
func covariance(j *decimal.Joint, divisor int64) float64 { return j.Covariance(divisor) }

func coefficientOf(kind coefficient) func(s *State, q Columns, g *Call) Result {
	return func(s *State, q Columns, g *Call) Result {
		r, y, x := kind, q.WantNumbers(g.Columns[0], batch.Strict), q.WantNumbers(g.Columns[1], batch.Strict)
		r.joint = objectOf(s, q, g.Columns, func(k kept) *joint { return &joint{k, y, x} })
		return &r
	}
}

func (*coefficient) Heading([]batch.Known) answer.Column {
	return answer.Column{Type: answer.ColumnFloat}
}

func (r *coefficient) Number(_ *Reader, words []uint64, s *Store) (n decimal.Number, null, exact bool) {
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
	y, x int // among the number columns
}

func (*joint) layout(s *State) { s.addHandle(false, newSlots[decimal.Joint]) }

func (o *joint) add(b *batch.Batch, g *Groups, sel records.Selection, ids []uint32, words []uint64) error {
	x, y, sums := b.Numbers[o.x], b.Numbers[o.y], slotsOf[decimal.Joint](g.store, o.at)
	for j, i := range sel {
		if x.Kinds[i] == decimal.Plain && y.Kinds[i] == decimal.Plain {
			sums.at(&words[int(ids[j])+o.at]).AddPlain(x.Mantissa[i], y.Mantissa[i], x.Scale, y.Scale)
			continue
		}
		a, okA := b.Number(o.x, i)
		b, okB := b.Number(o.y, i)
		if okA && okB {
			sums.at(&words[int(ids[j])+o.at]).Add(a, b)
		}
	}
	return nil
}
