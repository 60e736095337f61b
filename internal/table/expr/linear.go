package expr

import (
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// Linear is a column times a factor plus an offset, both exact decimals. For exact decimals, it has the same values as
// the expression that it was made of.
type Linear struct {
	Column         int
	Factor, Offset decimal.Number
}

// Linear returns what the expression is if it has one column, which is only added, subtracted and multiplied with
// numbers.
func (e *Expr) Linear() (l Linear, ok bool) {
	if len(e.columns) != 1 {
		return l, false
	}
	l, ok = linear(e.Root)
	l.Column = e.columns[0]
	return l, ok && l.fits()
}

// fits reports whether both numbers are short.
func (l *Linear) fits() bool {
	for _, n := range []decimal.Number{l.Factor, l.Offset} {
		if _, exact, ok := n.Mantissa(n.Decimals()); !exact || !ok || n.IsFloat() || n.Decimals() > scaleMax {
			return false
		}
	}
	return true
}

// linear returns the factor and the offset of a node.
func linear(n Node) (l Linear, ok bool) {
	switch n := n.(type) {
	case *Field:
		return Linear{Factor: decimal.FromPlain(1, 0)}, n.Slice == key.Whole()
	case *Literal:
		return Linear{Offset: n.n}, !n.n.IsFloat()
	case *negative:
		l, ok = linear(n.of)
		return Linear{Factor: l.Factor.Neg(), Offset: l.Offset.Neg()}, ok
	case *operation:
		left, ok := linear(n.left)
		if !ok {
			return l, false
		}
		right, ok := linear(n.right)
		if !ok {
			return l, false
		}
		switch {
		case n.sign == '+':
			return Linear{Factor: left.Factor.Add(right.Factor), Offset: left.Offset.Add(right.Offset)}, true
		case n.sign == '-':
			return Linear{Factor: left.Factor.Sub(right.Factor), Offset: left.Offset.Sub(right.Offset)}, true
		case n.sign == '*' && isConstant(n.right):
			return Linear{Factor: left.Factor.Mul(right.Offset), Offset: left.Offset.Mul(right.Offset)}, true
		case n.sign == '*' && isConstant(n.left):
			return Linear{Factor: right.Factor.Mul(left.Offset), Offset: right.Offset.Mul(left.Offset)}, true
		}
	}
	return l, false
}

// At returns the value for a number of the column.
func (l *Linear) At(n decimal.Number) decimal.Number { return n.Mul(l.Factor).Add(l.Offset) }

// Decimals returns the most digits after the point that a value may have if the numbers of the column have at most so
// many.
func (l *Linear) Decimals(ofColumn int) int {
	return max(ofColumn+l.Factor.Decimals(), l.Offset.Decimals())
}
