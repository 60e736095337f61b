package expr

import (
	"bytes"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

func (l *Literal) eval(func(int) []byte) value.Value { return value.OfNumber(l.n) }

func (c *Constant) eval(func(int) []byte) value.Value { return c.value }

func (f *Field) eval(of func(int) []byte) value.Value {
	text := of(f.Column) // a slice of nil is nil
	return value.OfText(text[min(f.Slice.From, len(text)):min(f.Slice.To, len(text))])
}

// An interval by itself is its length in seconds.
func (l *length) eval(func(int) []byte) value.Value {
	if n, ok := l.Seconds(); ok {
		return value.OfNumber(n)
	}
	return value.Value{}
}

func (n *negative) eval(field func(int) []byte) value.Value {
	v := n.of.eval(field)
	if m, ok := v.Number(); ok {
		return value.OfNumber(m.Neg())
	}
	return v
}

func (o *operation) eval(field func(int) []byte) value.Value {
	left := o.left.eval(field)
	if l, ok := o.right.(*length); ok {
		return o.shift(left, l.Interval)
	}
	if l, ok := o.left.(*length); ok && o.sign == '+' {
		return o.shift(o.right.eval(field), l.Interval)
	}
	return o.of(left, o.right.eval(field))
}

// of returns the result of the operation with two values.
func (o *operation) of(left, right value.Value) value.Value {
	switch {
	case left.IsNull(), right.IsNull():
		return value.Value{}
	case o.sign == '|':
		return value.OfText(append(append([]byte{}, left.Text()...), right.Text()...))
	}
	a, ok := left.Number()
	b, ok2 := right.Number()
	if !ok || !ok2 {
		return o.ofTimes(left, right, ok)
	}
	return arithmetic(o.sign, a, b)
}

func arithmetic(sign byte, a, b decimal.Number) value.Value {
	result, ok := decimal.Number{}, true
	switch sign {
	case '+':
		result = a.Add(b)
	case '-':
		result = a.Sub(b)
	case '*':
		result = a.Mul(b)
	case '%':
		result, ok = remainder(a, b)
	default:
		result, ok = a.Quo(b)
	}
	if !ok || result.IsNaN() {
		return value.Value{}
	}
	return value.OfNumber(result)
}

// ofTimes returns the difference of two times, in seconds or, of dates by their type, in days; or the date so many days
// later. Otherwise the result is what is not a number.
func (o *operation) ofTimes(left, right value.Value, isNumber bool) value.Value {
	if o.sign == '-' || o.sign == '+' {
		if t, ok := value.ParseTime(left.Text()); ok {
			if u, ok := value.ParseTime(right.Text()); ok && o.sign == '-' {
				if isDate(o.left) && isDate(o.right) {
					return arithmetic('/', t.Since(u), secondsOfDay)
				}
				return value.OfNumber(t.Since(u))
			}
			if n, ok := right.Number(); ok && isDate(o.left) {
				var days value.Interval
				if m, exact, ok := n.Mantissa(0); ok && !exact || !value.Day.AddTo(&days, decimal.FromPlain(m, 0)) || !ok {
					return left
				}
				return shifted(t, days, o.sign == '-')
			}
		}
	}
	if !isNumber {
		return left
	}
	return right
}

var secondsOfDay = decimal.FromPlain(24*3600, 0)

func isDate(n Node) bool { return n.typed(func(int) Type { return Type{} }).Kind == Date }

// shift returns a time, or a number of seconds, an interval later or earlier.
func (o *operation) shift(v value.Value, by value.Interval) value.Value {
	if v.IsNull() {
		return v
	}
	if t, ok := value.ParseTime(v.Text()); ok && (o.sign == '+' || o.sign == '-') {
		return shifted(t, by, o.sign == '-')
	}
	a, ok := v.Number()
	b, fixed := by.Seconds()
	if !ok || !fixed {
		return v
	}
	return arithmetic(o.sign, a, b)
}

func shifted(t value.Time, by value.Interval, back bool) value.Value {
	if back {
		by = by.Neg()
	}
	sum, ok := t.Add(by)
	if !ok {
		return value.Value{}
	}
	return value.OfText(sum.AppendText(nil))
}

func (c *call) eval(field func(int) []byte) value.Value {
	if c.one != nil {
		arg := c.args[len(c.args)-1].eval(field)
		if arg.IsNull() && !c.nulls {
			return arg
		}
		return c.one(arg)
	}
	scratch, ok := c.scratch.Get().(*[]value.Value)
	if !ok {
		scratch = new(make([]value.Value, len(c.args)))
	}
	args := *scratch
	for i, a := range c.args {
		args[i] = a.eval(field)
	}
	v := c.of(args)
	c.scratch.Put(scratch)
	return v
}

// of returns the result for some arguments. Most functions of null are null.
func (c *call) of(args []value.Value) value.Value {
	if !c.nulls {
		for _, a := range args {
			if a.IsNull() {
				return a
			}
		}
	}
	return c.run(args)
}

func (c *choice) eval(field func(int) []byte) value.Value {
	for _, a := range c.arms {
		if holds, known := a.when.eval(field).Truth(); holds && known {
			return a.then.eval(field)
		}
	}
	if c.other == nil {
		return value.Value{}
	}
	return c.other.eval(field)
}

func (j *Junction) eval(field func(int) []byte) value.Value {
	result := value.OfBool(j.All)
	for _, p := range j.Parts {
		holds, known := p.eval(field).Truth()
		switch {
		case !known:
			result = value.Value{}
		case holds != j.All:
			return value.OfBool(holds)
		}
	}
	return result
}

func (n *Not) eval(field func(int) []byte) value.Value {
	holds, known := n.Of.eval(field).Truth()
	if !known {
		return value.Value{}
	}
	return value.OfBool(!holds)
}

func (c *Compare) eval(field func(int) []byte) value.Value {
	right := c.constant
	if c.known == End {
		right = c.Right.eval(field)
	}
	return c.of(c.Left.eval(field), right)
}

// of compares two values. The right side tells how, if it is a constant.
func (c *Compare) of(left, right value.Value) value.Value {
	if left.IsNull() || right.IsNull() {
		return value.Value{}
	}
	switch c.known {
	case Digits:
		a, ok := left.Number()
		b, _ := right.Number()
		if !ok {
			return value.Value{}
		}
		return value.OfBool(c.Rel.Holds(a.Compare(b)))
	case Single:
		text := left.Text()
		if t, ok := value.ParseTime(text); c.isTime && ok {
			return value.OfBool(c.Rel.Holds(t.Compare(c.moment)))
		}
		return value.OfBool(c.Rel.Holds(bytes.Compare(text, right.Text())))
	}
	return value.OfBool(c.Rel.Holds(value.Compare(left, right)))
}

func (b *Between) eval(field func(int) []byte) value.Value {
	return (&Junction{All: true, Parts: b.parts()}).eval(field)
}

func (m *Member) eval(field func(int) []byte) value.Value {
	v, result := m.Of.eval(field), value.OfBool(false)
	for _, c := range m.each {
		right := c.constant
		if c.known == End {
			right = c.Right.eval(field)
		}
		left := v
		if c.Left != m.Of { // a constant, which is on the right
			left = c.Left.eval(field)
		}
		holds, known := c.of(left, right).Truth()
		switch {
		case holds:
			return value.OfBool(true)
		case !known:
			result = value.Value{}
		}
	}
	return result
}

func (m *Match) eval(field func(int) []byte) value.Value {
	v := m.Of.eval(field)
	if v.IsNull() {
		return v
	}
	return value.OfBool(m.re.Match(v.Text()))
}

func (n *Null) eval(field func(int) []byte) value.Value {
	return value.OfBool(n.Of.eval(field).IsNull())
}

func (d *distinct) eval(field func(int) []byte) value.Value {
	left, right := d.left.eval(field), d.right.eval(field)
	if left.IsNull() || right.IsNull() {
		return value.OfBool(left.IsNull() != right.IsNull())
	}
	return value.OfBool(value.Compare(left, right) != 0)
}
