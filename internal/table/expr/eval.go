package expr

import (
	"bytes"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

func (l *Literal) eval(*Row) value.Value { return value.OfNumber(l.n) }

func (c *Constant) eval(*Row) value.Value { return c.value }

func (f *Field) eval(r *Row) value.Value {
	text := r.Field(f.Column) // a slice of nil is nil
	return value.OfText(text[min(f.Slice.From, len(text)):min(f.Slice.To, len(text))])
}

// An interval by itself is its length in seconds.
func (l *length) eval(*Row) value.Value {
	if n, ok := l.Seconds(); ok {
		return value.OfNumber(n)
	}
	return value.Value{}
}

func (n *negative) eval(r *Row) value.Value {
	v := n.of.eval(r)
	if m, ok := v.Number(); ok {
		return value.OfNumber(m.Neg())
	}
	if r.reports() && !r.check(n.of, v, Number) {
		return value.Value{}
	}
	return v
}

func (o *operation) eval(r *Row) value.Value {
	left := o.left.eval(r)
	if l, ok := o.right.(*length); ok {
		return o.shift(r, o.left, left, l.Interval)
	}
	if l, ok := o.left.(*length); ok && o.sign == '+' {
		return o.shift(r, o.right, o.right.eval(r), l.Interval)
	}
	right := o.right.eval(r)
	v, ok := o.of(left, right)
	if ok || !r.reports() {
		return v
	}
	if r.check(o.left, left, Number) || !Time.Fits(left) {
		r.check(o.right, right, Number)
	}
	return value.Value{}
}

// of returns the result of the operation with two values. If ok is false, it is the one that is not a number.
func (o *operation) of(left, right value.Value) (v value.Value, ok bool) {
	switch {
	case left.IsNull(), right.IsNull():
		return value.Value{}, true
	case o.sign == '|':
		return value.OfText(append(append([]byte{}, left.Text()...), right.Text()...)), true
	}
	a, ok := left.Number()
	b, ok2 := right.Number()
	if !ok || !ok2 {
		return o.ofTimes(left, right, ok)
	}
	return arithmetic(o.sign, a, b), true
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
func (o *operation) ofTimes(left, right value.Value, isNumber bool) (v value.Value, ok bool) {
	if o.sign == '-' || o.sign == '+' {
		if t, ok := value.ParseTime(left.Text()); ok {
			if u, ok := value.ParseTime(right.Text()); ok && o.sign == '-' {
				if isDate(o.left) && isDate(o.right) {
					return arithmetic('/', t.Since(u), secondsOfDay), true
				}
				return value.OfNumber(t.Since(u)), true
			}
			if n, ok := right.Number(); ok && isDate(o.left) {
				var days value.Interval
				if m, exact, ok := n.Mantissa(0); ok && !exact || !value.Day.AddTo(&days, decimal.FromPlain(m, 0)) || !ok {
					return left, true
				}
				return shifted(t, days, o.sign == '-'), true
			}
		}
	}
	if !isNumber {
		return left, false
	}
	return right, false
}

var secondsOfDay = decimal.FromPlain(24*3600, 0)

func isDate(n Node) bool { return n.typed(func(int) Type { return Type{} }).Kind == Date }

// shift returns a time, or a number of seconds, an interval later or earlier.
func (o *operation) shift(r *Row, of Node, v value.Value, by value.Interval) value.Value {
	if v.IsNull() {
		return v
	}
	if t, ok := value.ParseTime(v.Text()); ok && (o.sign == '+' || o.sign == '-') {
		return shifted(t, by, o.sign == '-')
	}
	a, ok := v.Number()
	b, fixed := by.Seconds()
	if !ok || !fixed {
		if r.reports() && !r.check(of, v, Time) {
			return value.Value{}
		}
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

func (c *call) eval(r *Row) value.Value {
	if c.one != nil {
		arg := c.args[len(c.args)-1].eval(r)
		if arg.IsNull() && !c.nulls {
			return arg
		}
		return c.checked(r, c.one(arg), arg)
	}
	scratch, ok := c.scratch.Get().(*[]value.Value)
	if !ok {
		scratch = new(make([]value.Value, len(c.args)))
	}
	args := *scratch
	for i, a := range c.args {
		args[i] = a.eval(r)
	}
	v := c.checked(r, c.of(args), args...)
	c.scratch.Put(scratch)
	return v
}

// checked returns the result of the call, and null if an argument is not what it was asked for. Only then the result is
// null, or not a number.
func (c *call) checked(r *Row, v value.Value, args ...value.Value) value.Value {
	if !c.isSuspect(v) || !r.reports() {
		return v
	}
	for i, arg := range args {
		if !isConstant(c.args[i]) && !r.check(c.args[i], arg, c.asked) {
			v = value.Value{}
		}
	}
	return v
}

// isSuspect reports whether a result may be that of an argument that is not what it was asked for.
func (c *call) isSuspect(v value.Value) bool {
	return c.asked == Time && v.IsNull() || c.asked == Number && (v.IsNull() || !Number.Fits(v))
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

func (c *choice) eval(r *Row) value.Value {
	for _, a := range c.arms {
		if holds, known := a.when.eval(r).Truth(); holds && known {
			return a.then.eval(r)
		}
	}
	if c.other == nil {
		return value.Value{}
	}
	return c.other.eval(r)
}

func (j *Junction) eval(r *Row) value.Value {
	result := value.OfBool(j.All)
	for _, p := range j.Parts {
		holds, known := p.eval(r).Truth()
		switch {
		case !known:
			result = value.Value{}
		case holds != j.All:
			return value.OfBool(holds)
		}
	}
	return result
}

func (n *Not) eval(r *Row) value.Value {
	holds, known := n.Of.eval(r).Truth()
	if !known {
		return value.Value{}
	}
	return value.OfBool(!holds)
}

func (c *Compare) eval(r *Row) value.Value {
	right := c.constant
	if c.known == End {
		right = c.Right.eval(r)
	}
	left := c.Left.eval(r)
	if c.known == Digits && !right.IsNull() && r.reports() && !r.check(c.Left, left, Number) {
		return value.Value{}
	}
	return c.of(left, right)
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

func (b *Between) eval(r *Row) value.Value {
	return (&Junction{All: true, Parts: b.parts()}).eval(r)
}

func (m *Member) eval(r *Row) value.Value {
	v, result := m.Of.eval(r), value.OfBool(false)
	if r.reports() && m.ofNumbers() && !r.check(m.Of, v, Number) {
		return value.Value{}
	}
	for _, c := range m.each {
		right := c.constant
		if c.known == End {
			right = c.Right.eval(r)
		}
		left := v
		if c.Left != m.Of { // a constant, which is on the right
			left = c.Left.eval(r)
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

func (m *Match) eval(r *Row) value.Value {
	v := m.Of.eval(r)
	if v.IsNull() {
		return v
	}
	return value.OfBool(m.re.Match(v.Text()))
}

func (n *Null) eval(r *Row) value.Value {
	return value.OfBool(n.Of.eval(r).IsNull())
}

func (d *distinct) eval(r *Row) value.Value {
	left, right := d.left.eval(r), d.right.eval(r)
	if left.IsNull() || right.IsNull() {
		return value.OfBool(left.IsNull() != right.IsNull())
	}
	return value.OfBool(value.Compare(left, right) != 0)
}
