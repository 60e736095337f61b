package agg

import (
	"math/bits"
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/expr"
)

// The sum of a*x + b is a times the sum of x plus b times the number of values. So such sums, of which there may be
// many, need one sum of x. That holds for exact decimals: where x is a float, the value is rounded, and so those
// records, which are few, are computed and added one by one.

// Linear says that a number column is that of a linear expression of another one, which comes before it.
type Linear struct {
	expr.Linear
	Number int // of the other column; -1 if the column is computed itself
}

// Digits returns how many digits after the point, without zeros at the end, values of the selected records have,
// where the numbers of the other column are Plain. It stops when no value can have more; known is how many were found.
func (l *Linear) Digits(of *decimal.Numbers, known int, sel records.Selection) int {
	most := l.Decimals(min(of.Decimals, of.Scale))
	for j := 0; known < most && j < len(sel); j++ {
		i := sel[j]
		if of.Kinds[i] != decimal.Plain {
			continue
		}
		v, scale, ok := linearWord(&l.Linear, of.Mantissa[i], 1, of.Scale)
		for ok && scale > known && v%10 == 0 {
			v, scale = v/10, scale-1
		}
		if !ok {
			text := l.At(decimal.FromPlain(of.Mantissa[i], of.Scale)).Text(0)
			_, after, _ := strings.Cut(text, ".")
			scale = len(after)
		}
		known = max(known, scale)
	}
	return known
}

// addRest adds the numbers of the selected records that the accumulator of the other column leaves out.
func (f *accumulator) addRest(b *batch.Batch, g *Groups, sel records.Selection, ids []uint32, words []uint64) {
	n, of, column := b.Numbers[f.number], b.Numbers[f.of.number], b.NumberColumn(f.number)
	if of.AllPlain {
		return
	}
	irregular := slotsOf[irregularSum](g.store, f.at.irregular)
	for j, i := range sel {
		if of.Kinds[i] == decimal.Plain || n.Kinds[i] == decimal.Missing || n.Kinds[i] == decimal.Bad {
			continue
		}
		if _, _, ok := of.Wide(i); ok && of.Kinds[i] == decimal.Irregular && f.of.sumOnly() {
			continue
		}
		number, _ := decimal.Parse(column[i].Of(b.Text))
		irregular.at(&words[int(ids[j])+f.at.irregular]).add(number, false)
	}
}

// linearSum returns a*sum + b*n, see linear.
func linearSum(l *expr.Linear, of *decimal.Sum, n int64) (sum decimal.Sum) {
	sum.Add(of.Number().Mul(l.Factor))
	sum.Add(l.Offset.Mul(decimal.FromPlain(n, 0)))
	return sum
}

// linearWord is linearSum in words, for a sum of that scale. It returns the result and its scale; ok is false if it
// does not fit.
func linearWord(l *expr.Linear, sum, n int64, scale int) (v int64, all int, ok bool) {
	all = l.Decimals(scale)
	factor, _, ok1 := l.Factor.Mantissa(all - scale)
	offset, _, ok2 := l.Offset.Mantissa(all)
	product, ok3 := times(sum, factor)
	constant, ok4 := times(n, offset)
	v = product + constant
	return v, all, ok1 && ok2 && ok3 && ok4 && (product^v)&(constant^v) >= 0
}

// times returns the product of two words; ok is false if it does not fit.
func times(a, b int64) (product int64, ok bool) {
	high, low := bits.Mul64(uint64(a), uint64(b)) // as unsigned numbers: the high word is put right
	return int64(low), int64(high)-a>>63&b-b>>63&a == int64(low)>>63
}
