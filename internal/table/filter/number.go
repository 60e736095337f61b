package filter

import (
	"math"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/expr"
)

// numericSelector compares with a number. At a given scale, the values that match are one range
// of integers, or all integers outside a range.
type numericSelector struct {
	fields
	rel     expr.Relation
	right   decimal.Number
	numbers *decimal.Numbers
	bounds  bounds // of the mantissas at scale
	scale   int
	watched *Compared // nil for none
}

func (n *numeric) selector(b *builder, negated bool) selector {
	s := &numericSelector{fields: fieldsOf(n.left), rel: unless(n.rel, negated), right: n.right}
	s.numbers = b.numbersOf(n.left)
	s.scale = s.numbers.Scale
	s.bounds = boundsOf(s.rel, n.right, s.scale)
	s.watched = b.comparedOf(n.left, s.rel)
	return s
}

func (s *numericSelector) keep(b *batch, sel records.Selection) records.Selection {
	column := s.of(b, sel)
	s.numbers.Parse(b.text, column, sel)
	if s.watched != nil {
		s.watched.look(b, column, sel, s.numbers)
	}
	if s.scale != s.numbers.Scale {
		s.scale = s.numbers.Scale
		s.bounds = boundsOf(s.rel, s.right, s.scale)
	}
	if s.numbers.AllPlain {
		return s.bounds.keep(&s.numbers.Mantissa, sel)
	}
	kept := sel[:0]
	for _, i := range sel {
		fits := false
		switch s.numbers.Kinds[i] {
		case decimal.Plain:
			fits = s.bounds.has(s.numbers.Mantissa[i])
		case decimal.Irregular:
			n, _ := decimal.Parse(column[i].Of(b.text))
			fits = s.rel.Holds(n.Compare(s.right))
		default:
			b.isBad(s.column, i, column[i])
		}
		if fits {
			kept = append(kept, i)
		}
	}
	return kept
}

// bounds is the range of integers from low to low+span, or its complement.
type bounds struct {
	low    int64
	span   uint64
	others uint64 // 1 for the complement
}

// mantissaMax is more than any Plain mantissa.
const mantissaMax = 1 << 62

var (
	everything = bounds{low: math.MinInt64, span: math.MaxUint64}
	nothing    = bounds{low: math.MinInt64, span: math.MaxUint64, others: 1}
)

// boundsOf returns the mantissas at a scale for which the relation to n holds.
func boundsOf(rel expr.Relation, n decimal.Number, scale int) bounds {
	floor, exact, ok := n.Mantissa(scale)
	if !ok || floor <= -mantissaMax || floor >= mantissaMax {
		// n is greater than all mantissas, or less than all.
		if rel.Holds(decimal.Number{}.Compare(n)) {
			return everything
		}
		return nothing
	}
	below := floor // the largest mantissa less than n
	if exact {
		below--
	}
	switch rel {
	case expr.Less:
		return between(math.MinInt64, below)
	case expr.AtMost:
		return between(math.MinInt64, floor)
	case expr.Greater:
		return between(floor+1, math.MaxInt64)
	case expr.AtLeast:
		return between(below+1, math.MaxInt64)
	}
	if !exact {
		if rel == expr.Unequal {
			return everything
		}
		return nothing
	}
	r := between(floor, floor)
	if rel == expr.Unequal {
		r.others = 1
	}
	return r
}

func between(low, high int64) bounds { return bounds{low: low, span: uint64(high) - uint64(low)} }

func (r bounds) has(m int64) bool { return (uint64(m)-uint64(r.low) <= r.span) != (r.others == 1) }

func (r bounds) keep(mantissa *[records.Max]int64, sel records.Selection) records.Selection {
	n := 0
	for _, i := range sel {
		_, outside := bits.Sub64(r.span, uint64(mantissa[i%records.Max])-uint64(r.low), 0)
		sel[n] = i
		n += int(1 ^ outside ^ r.others)
	}
	return sel[:n]
}

func isNumber(k decimal.Kind) bool { return k == decimal.Plain || k == decimal.Irregular }
