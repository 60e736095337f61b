package expr

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// Vector computes an expression for all records of a batch, operation by operation, in integers of a
// scale that all records share. It leaves out records with a number that is no exact decimal, and those
// with a result that does not fit; Expr.Value computes them. Both give the same values. A Vector is for one
// goroutine.
type Vector struct {
	root    vectorNode
	leaves  []*leaf
	text    []byte
	column  func(column int) records.Column
	sel     records.Selection
	failed  [records.Max]bool
	anyFail bool
	result  scaled
	rest    records.Selection
	done    records.Selection
}

// scaled are the values of a node by record: mantissa * 10^-scale.
type scaled struct {
	mantissa *[records.Max]int64
	scale    int
}

// vectorNode is a part of an expression. ok is false if the values need more digits after the point than
// a scale may have.
type vectorNode interface {
	compute(v *Vector) (s scaled, ok bool)
}

type (
	// leaf is a column, parsed once for all its places in the expression.
	leaf struct {
		column int
		parsed bool
		decimal.Numbers
	}
	constant struct{ scaled }
	operator struct {
		sign        byte // + - *
		left, right vectorNode
		out, factor [records.Max]int64
	}
)

// Vector returns a new Vector, or nil if the expression is more than sums and products of numbers.
func (e *Expr) Vector() *Vector {
	switch e.Root.(type) {
	case *operation, *negative:
		v := &Vector{rest: make(records.Selection, 0, records.Max), done: make(records.Selection, 0, records.Max)}
		if v.root = v.node(e.Root); v.root != nil {
			return v
		}
	}
	return nil
}

// node returns the node for a part of the expression, nil if there is none.
func (v *Vector) node(n Node) vectorNode {
	switch n := n.(type) {
	case *Field:
		if n.Slice == key.Whole() {
			return v.leaf(n.Column)
		}
	case *Literal:
		return constantOf(n.n)
	case *negative:
		return v.operator('-', &Literal{}, n.of)
	case *operation:
		if n.sign == '+' || n.sign == '-' || n.sign == '*' {
			return v.operator(n.sign, n.left, n.right)
		}
	}
	return nil
}

func (v *Vector) operator(sign byte, left, right Node) vectorNode {
	o := &operator{sign: sign, left: v.node(left), right: v.node(right)}
	if o.left == nil || o.right == nil {
		return nil
	}
	return o
}

func (v *Vector) leaf(column int) vectorNode {
	for _, l := range v.leaves {
		if l.column == column {
			return l
		}
	}
	l := &leaf{column: column}
	v.leaves = append(v.leaves, l)
	return l
}

// constantOf returns a node for a number, nil if it is no exact decimal that fits.
func constantOf(n decimal.Number) vectorNode {
	m, exact, ok := n.Mantissa(n.Decimals())
	if n.IsFloat() || !exact || !ok || n.Decimals() > scaleMax {
		return nil
	}
	c := &constant{scaled{new([records.Max]int64), n.Decimals()}}
	for i := range c.mantissa {
		c.mantissa[i] = m
	}
	return c
}

// Compute computes the values of the selected records. It returns those whose values Append appends,
// and the rest. It may read records.SlackBytes of text before and after each field, and both results are
// valid until the next call.
func (v *Vector) Compute(text []byte, column func(column int) records.Column, sel records.Selection) (
	done, rest records.Selection) {
	v.text, v.column, v.sel = text, column, sel
	for _, l := range v.leaves {
		l.parsed = false
	}
	if v.anyFail {
		v.failed, v.anyFail = [records.Max]bool{}, false
	}
	var ok bool
	if v.result, ok = v.root.compute(v); !ok {
		return nil, sel
	}
	return v.parts()
}

// parts returns the records that did not fail, and those that did.
func (v *Vector) parts() (done, rest records.Selection) {
	if !v.anyFail {
		return v.sel, nil
	}
	v.done, v.rest = v.done[:0], v.rest[:0]
	for _, i := range v.sel {
		if v.failed[i] {
			v.rest = append(v.rest, i)
		} else {
			v.done = append(v.done, i)
		}
	}
	return v.done, v.rest
}

// ComputeNumbers is Compute, but puts the values into n, where they are as if n had parsed what Append
// appends. Values that n has no room for are left out too.
func (v *Vector) ComputeNumbers(n *decimal.Numbers, text []byte, column func(column int) records.Column,
	sel records.Selection) (done, rest records.Selection) {
	done, _ = v.Compute(text, column, sel)
	more := n.Scale - v.result.scale
	if len(done) == 0 || more < 0 || more > scaleMax {
		return nil, sel
	}
	factor := powerOfTen(more)
	for _, i := range done {
		m := v.product(i, v.result.mantissa[i%records.Max], factor)
		if m <= -plainEnd || m >= plainEnd {
			v.fail(i)
		}
		n.Mantissa[i%records.Max] = m
	}
	if done, rest = v.parts(); n.Decimals < v.result.scale {
		for _, i := range done {
			n.Decimals = max(n.Decimals, decimals(v.result.mantissa[i], v.result.scale))
		}
	}
	return done, rest
}

// decimals returns how many digits after the point a value has without zeros at its end.
func decimals(mantissa int64, scale int) int {
	for scale > 0 && mantissa%10 == 0 {
		mantissa /= 10
		scale--
	}
	return scale
}

func powerOfTen(n int) int64 {
	power := int64(1)
	for range n {
		power *= 10
	}
	return power
}

// Append appends the value of a record that Compute has computed, as the Value of Expr is appended.
func (v *Vector) Append(b []byte, record uint16) []byte {
	return decimal.FromPlain(v.result.mantissa[record], v.result.scale).AppendText(b, 0)
}

func (c *constant) compute(*Vector) (scaled, bool) { return c.scaled, true }

func (l *leaf) compute(v *Vector) (scaled, bool) {
	if !l.parsed {
		l.parsed = true
		l.Parse(v.text, v.column(l.column), v.sel)
		if !l.AllPlain {
			for _, i := range v.sel {
				if l.Kinds[i] != decimal.Plain {
					v.failed[i], v.anyFail = true, true
				}
			}
		}
	}
	return scaled{&l.Mantissa, l.Scale}, true
}

// plainEnd: numbers below it have few enough digits to be parsed as Plain.
const plainEnd = 1e18

// scaleMax is the most digits after the point that values may have: as many as always fit in a word.
const scaleMax = 18

func (o *operator) compute(v *Vector) (s scaled, ok bool) {
	left, ok := o.left.compute(v)
	if !ok {
		return s, false
	}
	right, ok := o.right.compute(v)
	if !ok {
		return s, false
	}
	s = scaled{&o.out, max(left.scale, right.scale)}
	if o.sign == '*' {
		s.scale = left.scale + right.scale
	}
	if s.scale > scaleMax {
		return s, false
	}
	if o.sign == '*' {
		v.multiply(s.mantissa, left.mantissa, right.mantissa)
		return s, true
	}
	a, b := v.align(left, s.scale, &o.factor), v.align(right, s.scale, &o.factor)
	if o.sign == '+' {
		v.add(s.mantissa, a, b)
	} else {
		v.subtract(s.mantissa, a, b)
	}
	return s, true
}

// align returns values at a scale that is not smaller than theirs. If it is larger, they are written to out.
func (v *Vector) align(s scaled, scale int, out *[records.Max]int64) *[records.Max]int64 {
	if s.scale == scale {
		return s.mantissa
	}
	factor := powerOfTen(scale - s.scale)
	for _, i := range v.sel {
		out[i%records.Max] = v.product(i, s.mantissa[i%records.Max], factor)
	}
	return out
}

func (v *Vector) multiply(out, a, b *[records.Max]int64) {
	for _, i := range v.sel {
		out[i%records.Max] = v.product(i, a[i%records.Max], b[i%records.Max])
	}
}

// product returns a * b; the record fails if it does not fit.
func (v *Vector) product(i uint16, a, b int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b)) // as unsigned numbers: the high word is put right
	if signed := int64(high) - a>>63&b - b>>63&a; signed != int64(low)>>63 {
		v.fail(i)
	}
	return int64(low)
}

func (v *Vector) add(out, a, b *[records.Max]int64) {
	for _, i := range v.sel {
		x, y := a[i%records.Max], b[i%records.Max]
		sum := x + y
		if (x^sum)&(y^sum) < 0 {
			v.fail(i)
		}
		out[i%records.Max] = sum
	}
}

func (v *Vector) subtract(out, a, b *[records.Max]int64) {
	for _, i := range v.sel {
		x, y := a[i%records.Max], b[i%records.Max]
		difference := x - y
		if (x^y)&(x^difference) < 0 {
			v.fail(i)
		}
		out[i%records.Max] = difference
	}
}

func (v *Vector) fail(i uint16) { v.failed[i%records.Max], v.anyFail = true, true }
