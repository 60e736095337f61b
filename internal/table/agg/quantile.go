package agg

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/quantiles"
)

// ranked has the functions that find the number at a rank.
var ranked = []Function{
	{fraction: quantileOf, bind: bindQuantile},
	{names: []string{"quantile", "quantile_disc"}, takes: columnAndFraction, bind: bindQuantile},
	{names: []string{"median"}, bind: func(s *State, q Columns, g *Call) Result {
		return &between{values: keepValues(s, q, g.Columns), fraction: fraction{1, 2}}
	}},
	{names: []string{"quantile_cont"}, takes: columnAndFraction, bind: bindBetween},
	{names: []string{"percentile_cont"}, takes: columnAndFraction[1:], Within: true, bind: bindBetween},
	{names: []string{"percentile_disc"}, takes: columnAndFraction[1:], Within: true, bind: bindQuantile},
}

func bindBetween(s *State, q Columns, g *Call) Result {
	f := g.fraction
	if g.Descending {
		f.parts = f.of - f.parts
	}
	return &between{values: keepValues(s, q, g.Columns), fraction: f}
}

func bindQuantile(s *State, q Columns, g *Call) Result {
	return &quantile{values: keepValues(s, q, g.Columns), fraction: g.fraction, descending: g.Descending}
}

// columnAndFraction are the parameters of a quantile that is not named by its fraction.
var columnAndFraction = []Parameter{{name: "COLUMN"}, {name: "FRACTION", Set: setFraction}}

func setFraction(to *Constants, c Constant) (err error) {
	to.fraction, err = parseFraction(c.Text)
	return err
}

// parseFraction parses a decimal from 0 to 1.
func parseFraction(text string) (f fraction, err error) {
	n, kind := decimal.Parse([]byte(text))
	m, exact, ok := n.Mantissa(n.Decimals())
	if kind != decimal.Plain || !exact || !ok || n.Decimals() > fractionDigits {
		return f, fmt.Errorf("the fraction of a quantile is a decimal with at most %d digits after the point", fractionDigits)
	}
	f = fraction{uint64(m), 1}
	for range n.Decimals() {
		f.of *= 10
	}
	if m < 0 || f.parts > f.of {
		return f, errors.New("the fraction of a quantile is between 0 and 1")
	}
	return f, nil
}

const fractionDigits = 9

// quantileOf returns the fraction of the values that is not above a quantile: for p99.9, 999 of
// 1000.
func quantileOf(name string) (f fraction, ok bool) {
	percent, ok := strings.CutPrefix(name, "p")
	whole, after, _ := strings.Cut(percent, ".")
	parts, err := strconv.ParseUint(whole+after, 10, 32)
	if !ok || err != nil || whole == "" {
		return f, false
	}
	f = fraction{parts, 100}
	for range after {
		f.of *= 10
	}
	return f, f.parts <= f.of
}

// quantile is the number of which a fraction of the numbers is not above it; not below it if they are descending.
type quantile struct {
	numeric
	values     *numberValues
	fraction   fraction
	descending bool
}

func (r *quantile) Heading(k []batch.Known) answer.Column { return k[r.values.number].Heading(false) }

func (r *quantile) Number(t *Reader, words []uint64, s *Store) (n decimal.Number, null, exact bool) {
	k := t.ranker(r.values, words, s)
	if k.n == 0 {
		return n, true, true
	}
	rank := r.fraction.rank(k.n)
	if r.descending {
		rank = k.n + 1 - rank
	}
	n, err := k.at(rank)
	t.failed(err)
	return n, n.IsNaN(), true
}

// between is the number at a quantile: if that is between two numbers, as far from each as from their places.
type between struct {
	numeric
	values   *numberValues
	fraction fraction
}

func (*between) Heading([]batch.Known) answer.Column { return answer.Column{Type: answer.ColumnFloat} }

func (r *between) Number(t *Reader, words []uint64, s *Store) (n decimal.Number, null, exact bool) {
	k := t.ranker(r.values, words, s)
	if k.n == 0 {
		return n, true, true
	}
	high, low := bits.Mul64(uint64(k.n-1), r.fraction.parts)
	place, rest := bits.Div64(high, low, r.fraction.of)
	n, err := k.exact(int64(place) + 1)
	if rest > 0 && err == nil {
		var next decimal.Number
		next, err = k.exact(int64(place) + 2)
		n = r.fraction.between(n, next, rest)
	}
	t.failed(err)
	return n, n.IsNaN(), true
}

// between returns the number so many parts of the way from a to b.
func (f fraction) between(a, b decimal.Number, parts uint64) decimal.Number {
	if 2*parts == f.of {
		return a.Midway(b)
	}
	more, ok := b.Sub(a).Mul(decimal.FromPlain(int64(parts), 0)).Quo(decimal.FromPlain(int64(f.of), 0))
	if !ok {
		return a
	}
	return a.Add(more)
}

// For quantiles, the numbers of a group are kept in three ways:
//
//   - integers of the common scale, as their mantissas: nearly all columns have only these
//   - as float64: floats and, apart from them, decimals that their float64 determines (see decimal.Shortest)
//   - others: decimals with many digits, in pairs with the key of their group
//
// Each way has its own order. If a group has numbers of several kinds, they are compared by the
// nearest float64, because rounding keeps the order; numbers with the same nearest float64 are
// compared exactly.

// numberValues keeps all numbers of a column.
type numberValues struct {
	kept
	number int // among the number columns
}

// The words of numberValues, from the first.
const (
	plainValues = iota
	floatValues
	decimalValues
	otherValues
)

func keepValues(s *State, q Columns, of []int) *numberValues {
	number := q.WantNumbers(of[0], batch.Strict)
	return objectOf(s, q, of, func(k kept) *numberValues { return &numberValues{k, number} })
}

func (*numberValues) layout(s *State) {
	for range otherValues {
		s.addHandle(false, newValueSlots)
	}
	s.addHandle(false, newOtherSlots)
}

func (*numberValues) pairing() (weight int64, anyOrder bool) { return weightLow, false }

// add adds the numbers of the selected records to the values of their groups. It adds other numbers to pairs.
func (v *numberValues) add(b *batch.Batch, g *Groups, sel records.Selection, ids []uint32, words []uint64) error {
	n, column := b.Numbers[v.number], b.NumberColumn(v.number)
	values, pairs := g.store.values, g.pairs[v.index]
	if n.AllPlain {
		values.AddInts(words, v.at+plainValues, ids, sel, &n.Mantissa)
		return nil
	}
	pairs.begin()
	for j, i := range sel {
		word := words[int(ids[j])+v.at:]
		switch n.Kinds[i] {
		case decimal.Plain:
			values.Add(&word[plainValues], quantiles.FromInt(n.Mantissa[i]))
		case decimal.Irregular:
			number, _ := decimal.Parse(column[i].Of(b.Text))
			if number.IsFloat() {
				values.Add(&word[floatValues], quantiles.FromFloat(number.Float64()))
			} else if f, ok := number.Shortest(); ok {
				values.Add(&word[decimalValues], quantiles.FromFloat(f))
			} else {
				pairs.put(i, g.keys[i].Of(b.Text), number.AppendOrdered(nil))
			}
		}
	}
	return pairs.end()
}

// valueSlots are values in the store for all of them, which counts their memory.
type valueSlots struct{ *quantiles.Store }

func newValueSlots(s *Store) objects { return valueSlots{s.values} }

func (s valueSlots) mergeFrom(into uint64, from objects, handle uint64) (uint64, error) {
	return s.Merge(into, from.(valueSlots).Store, handle), nil
}

func (s valueSlots) appendBinary(handle uint64, b []byte) ([]byte, error) {
	return s.AppendBinary(handle, b)
}
func (s valueSlots) decode(b []byte) (handle uint64, err error) { return s.Decode(b) }
func (s valueSlots) export(handle uint64) ([]byte, error)       { return s.AppendValues(handle, nil) }
func (s valueSlots) add(into *uint64, exported []byte) error    { return s.AddValues(into, exported) }
func (s valueSlots) bytes() int64                               { return 0 }
func (s valueSlots) reset()                                     {}
