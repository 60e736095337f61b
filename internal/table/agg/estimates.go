package agg

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/sketch"
)

// estimated has the functions that estimate.
var estimated = []Function{
	{
		names: []string{"approx_distinct", "approx_count_distinct"},
		bind: func(s *State, q Columns, g *Call) Result {
			return &approxDistinct{texts: objectOf(s, q, g.Columns, func(k kept) *sketchedTexts { return &sketchedTexts{k} })}
		},
	},
	{fraction: approxQuantileOf, bind: bindApproxQuantile},
	{names: []string{"approx_quantile"}, takes: columnAndFraction, bind: bindApproxQuantile},
}

func bindApproxQuantile(s *State, q Columns, g *Call) Result {
	number := q.WantNumbers(g.column(), batch.Strict)
	numbers := objectOf(s, q, g.Columns, func(k kept) *sketchedNumbers { return &sketchedNumbers{k, number} })
	return &approxQuantile{numbers: numbers, fraction: g.fraction}
}

func approxQuantileOf(name string) (f fraction, ok bool) {
	name, ok = strings.CutPrefix(name, "approx_")
	if ok {
		f, ok = quantileOf(name)
	}
	return f, ok
}

// approxDistinct estimates how many different texts a group has.
type approxDistinct struct {
	numeric
	texts *sketchedTexts
}

func (*approxDistinct) Heading([]batch.Known) answer.Column {
	return answer.Column{Type: answer.ColumnInteger}
}

func (*approxDistinct) Remark(groups int64) string {
	return fmt.Sprintf("an estimate in %d groups, usually within %.2g %%", groups, 100*sketch.DistinctError)
}

func (r *approxDistinct) Number(_ *Reader, words []uint64, s *Store) (n decimal.Number, null, exact bool) {
	if words[r.texts.at] == 0 {
		return decimal.FromPlain(0, 0), false, true
	}
	count, exact := find[sketch.Distinct](s, r.texts.at, words[r.texts.at]).Count()
	return decimal.FromPlain(count, 0), false, exact
}

// sketchedTexts keeps a sketch of a column's texts.
type sketchedTexts struct{ kept }

func (*sketchedTexts) layout(s *State) { s.addHandle(false, newSlots[sketch.Distinct]) }

func (o *sketchedTexts) add(b *batch.Batch, g *Groups, sel records.Selection, ids []uint32, words []uint64) error {
	column, sketches := b.TextColumn(o.column), slotsOf[sketch.Distinct](g.store, o.at)
	for j, i := range sel {
		if text := b.Field(column[i]); text != nil {
			d := sketches.at(&words[int(ids[j])+o.at])
			before := d.Bytes()
			d.Add(text)
			sketches.size += int64(d.Bytes() - before)
		}
	}
	return nil
}

// approxQuantile estimates a quantile.
type approxQuantile struct {
	numeric
	numbers  *sketchedNumbers
	fraction fraction
}

func (r *approxQuantile) Heading(k []batch.Known) answer.Column {
	return k[r.numbers.number].Heading(false)
}

func (*approxQuantile) Remark(groups int64) string {
	return fmt.Sprintf("an estimate in %d groups, within %.2g %%", groups, 100*sketch.QuantileError)
}

func (r *approxQuantile) Number(_ *Reader, words []uint64, s *Store) (n decimal.Number, null, exact bool) {
	if words[r.numbers.at] == 0 {
		return n, true, true
	}
	q := find[sketch.Quantiles](s, r.numbers.at, words[r.numbers.at])
	f, exact := q.Quantile(r.fraction.rank(q.N()))
	return decimal.FromFloat(f), false, exact
}

// sketchedNumbers keeps a sketch of a column's numbers.
type sketchedNumbers struct {
	kept
	number int // among the number columns
}

func (*sketchedNumbers) layout(s *State) { s.addHandle(false, newSlots[sketch.Quantiles]) }

func (o *sketchedNumbers) add(b *batch.Batch, g *Groups, sel records.Selection, ids []uint32, words []uint64) error {
	n, column := b.Numbers[o.number], b.NumberColumn(o.number)
	sketches := slotsOf[sketch.Quantiles](g.store, o.at)
	for j, i := range sel {
		number := decimal.FromPlain(n.Mantissa[i], n.Scale)
		switch n.Kinds[i] {
		case decimal.Plain:
		case decimal.Irregular:
			number, _ = decimal.Parse(column[i].Of(b.Text))
		default:
			continue
		}
		q := sketches.at(&words[int(ids[j])+o.at])
		before := q.Bytes()
		q.Add(number.Float64())
		sketches.size += int64(q.Bytes() - before)
	}
	return nil
}
