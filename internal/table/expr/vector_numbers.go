package expr

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// numberNode is a node that makes numbers.
type numberNode interface {
	numbers(v *Vector, sel records.Selection) numbers
}

// fromNumbers makes a node of one that makes numbers.
type fromNumbers struct {
	numberNode
	out      [records.Max]records.Span
	hold     truths
	constant *sameText // the only value; nil if there are several
}

func (f *fromNumbers) texts(v *Vector, sel records.Selection) records.Column {
	if f.constant != nil {
		return f.constant.texts(v, sel)
	}
	n := f.numbers(v, sel)
	for _, i := range sel {
		if n.kind(i) != decimal.Plain {
			f.out[i] = value.Null
			continue
		}
		v.value = decimal.FromPlain(n.mantissa[i], n.scale).AppendText(v.value[:0], 0)
		f.out[i] = v.batch.Add(v.value)
	}
	v.text = v.batch.Text()
	return f.out[:]
}

// A number is true unless it is 0.
func (f *fromNumbers) truths(v *Vector, sel records.Selection) *truths {
	n := f.numbers(v, sel)
	for _, i := range sel {
		f.hold[i] = truthOf(n.mantissa[i] != 0, n.kind(i) == decimal.Plain)
	}
	return &f.hold
}

// leaf is a column, parsed once for all its places in the expression.
type leaf struct {
	fromTexts
	column, batch int
	parsed        decimal.Numbers
}

// columnNode returns the fields of a column.
type columnNode int

func (c columnNode) texts(v *Vector, _ records.Selection) records.Column {
	return v.batch.Column(int(c))
}

func (v *Vector) leaf(column int) vectorNode {
	for _, l := range v.leaves {
		if l.column == column {
			return l
		}
	}
	l := &leaf{column: column, fromTexts: fromTexts{textNode: columnNode(column)}}
	v.leaves = append(v.leaves, l)
	return l
}

func (l *leaf) numbers(v *Vector, sel records.Selection) numbers {
	if l.batch != v.batches {
		l.batch = v.batches
		v.parse(&l.parsed, v.batch.Column(l.column), v.sel)
	}
	return v.parsed(&l.parsed, sel)
}

// parse parses texts. The empty text, which is not null, is no number.
func (v *Vector) parse(n *decimal.Numbers, column records.Column, sel records.Selection) {
	n.Parse(v.text, column, sel)
	if n.AllPlain {
		return
	}
	for _, i := range sel {
		if n.Kinds[i] == decimal.Missing && !v.isNull(column[i]) {
			n.Kinds[i] = decimal.Bad
		}
	}
}

// parsed returns numbers that were parsed. Records with others fail.
func (v *Vector) parsed(n *decimal.Numbers, sel records.Selection) numbers {
	if n.AllPlain {
		return numbers{mantissa: &n.Mantissa, scale: n.Scale}
	}
	for _, i := range sel {
		if n.Kinds[i] == decimal.Irregular {
			v.fail(i)
		}
	}
	return numbers{&n.Mantissa, &n.Kinds, n.Scale}
}

// constantNumber returns a node for a number, nil if it is no exact decimal that fits.
func constantNumber(n decimal.Number) vectorNode {
	m, exact, ok := n.Mantissa(n.Decimals())
	if n.IsFloat() || !exact || !ok || n.Decimals() > scaleMax {
		return nil
	}
	c := &sameNumber{numbers{mantissa: new([records.Max]int64), scale: n.Decimals()}}
	for i := range c.same.mantissa {
		c.same.mantissa[i] = m
	}
	return &fromNumbers{numberNode: c, constant: &sameText{value: value.OfNumber(n)}}
}

type sameNumber struct{ same numbers }

func (c *sameNumber) numbers(*Vector, records.Selection) numbers { return c.same }

// operator is + - or *.
type operator struct {
	sign        byte
	left, right vectorNode
	out, factor [records.Max]int64
	kinds       [records.Max]decimal.Kind
	known       [records.Max]uint16
}

func (v *Vector) operator(sign byte, left, right Node) vectorNode {
	return &fromNumbers{numberNode: &operator{sign: sign, left: v.node(left), right: v.node(right)}}
}

// operation returns the node of an operation, nil if it is one of intervals.
func (v *Vector) operation(o *operation) vectorNode {
	if _, ok := o.left.(*length); ok {
		return nil
	}
	if _, ok := o.right.(*length); ok {
		return nil
	}
	switch o.sign {
	case '+', '-', '*':
		return v.operator(o.sign, o.left, o.right)
	case '|':
		return v.joinedOf(o)
	}
	return &fromTexts{textNode: &quotient{sign: o.sign, left: v.node(o.left), right: v.node(o.right)}}
}

// plainEnd: numbers below it have few enough digits to be parsed as Plain.
const plainEnd = 1e18

// scaleMax is the most digits after the point that values may have: as many as always fit in a word.
const scaleMax = 18

func (o *operator) numbers(v *Vector, sel records.Selection) (out numbers) {
	left, right := o.left.numbers(v, sel), o.right.numbers(v, sel)
	out = numbers{mantissa: &o.out, scale: max(left.scale, right.scale)}
	if o.sign == '*' {
		out.scale = left.scale + right.scale
	}
	if left.kinds != nil || right.kinds != nil {
		out.kinds = &o.kinds
		sel = v.both(left, right, sel, &o.kinds, o.known[:0])
	}
	switch {
	case out.scale > scaleMax:
		for _, i := range sel {
			v.fail(i)
		}
		out.scale = 0
	case o.sign == '*':
		v.multiply(out.mantissa, left.mantissa, right.mantissa, sel)
	default:
		a, b := v.align(left, out.scale, &o.factor, sel), v.align(right, out.scale, &o.factor, sel)
		if o.sign == '+' {
			v.add64(out.mantissa, a, b, sel)
		} else {
			v.subtract(out.mantissa, a, b, sel)
		}
	}
	return out
}

// both returns the records of which both values are numbers. Kinds become those of the result: with null it is null,
// and what is no number fails.
func (v *Vector) both(left, right numbers, sel records.Selection, kinds *[records.Max]decimal.Kind,
	known records.Selection) records.Selection {
	for _, i := range sel {
		a, b := left.kind(i), right.kind(i)
		switch {
		case a == decimal.Plain && b == decimal.Plain:
			known = append(known, i)
			kinds[i] = decimal.Plain
			continue
		case a != decimal.Missing && b != decimal.Missing:
			v.fail(i)
		}
		kinds[i] = decimal.Missing
	}
	return known
}

// align returns values at a scale that is not smaller than theirs. If it is larger, they are written to out.
func (v *Vector) align(n numbers, scale int, out *[records.Max]int64, sel records.Selection) *[records.Max]int64 {
	if n.scale == scale {
		return n.mantissa
	}
	factor := powerOfTen(scale - n.scale)
	for _, i := range sel {
		out[i%records.Max] = v.product(i, n.mantissa[i%records.Max], factor)
	}
	return out
}

func (v *Vector) multiply(out, a, b *[records.Max]int64, sel records.Selection) {
	for _, i := range sel {
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

func (v *Vector) add64(out, a, b *[records.Max]int64, sel records.Selection) {
	for _, i := range sel {
		x, y := a[i%records.Max], b[i%records.Max]
		sum := x + y
		if (x^sum)&(y^sum) < 0 {
			v.fail(i)
		}
		out[i%records.Max] = sum
	}
}

func (v *Vector) subtract(out, a, b *[records.Max]int64, sel records.Selection) {
	for _, i := range sel {
		x, y := a[i%records.Max], b[i%records.Max]
		difference := x - y
		if (x^y)&(x^difference) < 0 {
			v.fail(i)
		}
		out[i%records.Max] = difference
	}
}

// quotient is / or %, whose results have no common scale.
type quotient struct {
	sign        byte
	left, right vectorNode
	kinds       [records.Max]decimal.Kind
	known       [records.Max]uint16
	out         [records.Max]records.Span
}

func (q *quotient) texts(v *Vector, sel records.Selection) records.Column {
	left, right := q.left.numbers(v, sel), q.right.numbers(v, sel)
	for _, i := range sel {
		q.out[i] = value.Null
	}
	for _, i := range v.both(left, right, sel, &q.kinds, q.known[:0]) {
		a, b := decimal.FromPlain(left.mantissa[i], left.scale), decimal.FromPlain(right.mantissa[i], right.scale)
		q.out[i] = v.put(i, arithmetic(q.sign, a, b))
	}
	return q.out[:]
}

// ComputeNumbers is Compute for an expression whose values are numbers. It puts them into n, where they are as if n had
// parsed what Compute writes. Those that are null or that n has no room for are left out too.
func (v *Vector) ComputeNumbers(n *decimal.Numbers, batch Batch, sel records.Selection) (done, rest records.Selection) {
	if v.pause > 0 {
		v.pause--
		return nil, sel
	}
	v.begin(batch, sel)
	result := v.root.numbers(v, sel)
	more := n.Scale - result.scale
	if len(sel) == 0 || more < 0 || more > scaleMax {
		return nil, sel
	}
	factor := powerOfTen(more)
	for _, i := range sel {
		m := v.product(i, result.mantissa[i%records.Max], factor)
		if m <= -plainEnd || m >= plainEnd || result.kind(i) != decimal.Plain {
			v.fail(i)
		}
		n.Mantissa[i%records.Max] = m
	}
	if done, rest = v.parts(); n.Decimals < result.scale {
		for _, i := range done {
			n.Decimals = max(n.Decimals, decimals(result.mantissa[i], result.scale))
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
