package expr

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// ValueKind is what is known of the values of an expression without looking at any.
type ValueKind uint8

// The kinds of values. A value of any kind may be null.
const (
	Any   ValueKind = iota // fields, and what is chosen among different kinds
	Text                   // texts
	Exact                  // exact decimals
	Float                  // float64s, and quotients
	Date                   // times without a time of day
	Timestamp
	Boolean
)

// Type is the type of an expression.
type Type struct {
	Kind  ValueKind
	Scale int // of Exact: digits after the point at most
}

// Type returns the type of the values, given those of columns.
func (e *Expr) Type(column func(column int) Type) Type { return e.Root.typed(column) }

// IsComputed reports whether values that are numbers, true or false are computed: none is the text of a field, where
// values that are not what was asked for are reported.
func (e *Expr) IsComputed() bool { return isComputed(e.Root) }

func isComputed(n Node) bool {
	switch n.typed(func(int) Type { return Type{} }).Kind {
	case Exact, Float, Boolean:
		return true
	case Any:
		switch n := n.(type) {
		case *operation, *negative:
			return true
		case *call:
			return n.asked == Number || allComputed(n.args)
		case *choice:
			results := []Node{n.other}
			for _, a := range n.arms {
				results = append(results, a.then)
			}
			return allComputed(results)
		}
	}
	return false
}

// allComputed reports whether all values that are chosen among are computed, but for null.
func allComputed(among []Node) bool {
	return !slices.ContainsFunc(among, func(n Node) bool {
		c, ok := n.(*Constant)
		return n != nil && !(ok && c.value.IsNull()) && !isComputed(n)
	})
}

// common returns the type of values that are chosen among some.
func common(types ...Type) Type {
	if len(types) == 0 {
		return Type{}
	}
	all := types[0]
	for _, t := range types[1:] {
		switch {
		case t.Kind == all.Kind:
			all.Scale = max(all.Scale, t.Scale)
		case t.isNumber() && all.isNumber():
			all = Type{Kind: Float}
		default:
			return Type{}
		}
	}
	return all
}

func (t Type) isNumber() bool { return t.Kind == Exact || t.Kind == Float }

func (t Type) isTime() bool { return t.Kind == Date || t.Kind == Timestamp }

func (l *Literal) typed(func(int) Type) Type {
	if l.n.IsFloat() {
		return Type{Kind: Float}
	}
	return Type{Exact, l.n.Decimals()}
}

func (c *Constant) typed(func(int) Type) Type {
	switch {
	case c.kind == Word && !c.value.IsNull():
		return Type{Kind: Boolean}
	case c.value.IsNull():
		return Type{}
	}
	return Type{Kind: Text}
}

func (f *Field) typed(column func(int) Type) Type {
	if f.Slice.From != 0 || f.Slice.To < 1<<30 {
		return Type{Kind: Text}
	}
	return column(f.Column)
}

func (l *length) typed(func(int) Type) Type { return Type{Exact, 9} }

func (o *operation) typed(column func(int) Type) Type {
	a, b := o.left.typed(column), o.right.typed(column)
	_, leftLength := o.left.(*length)
	right, rightLength := o.right.(*length)
	switch {
	case o.sign == '|':
		return Type{Kind: Text}
	case rightLength && a.Kind == Date && right.Nanoseconds%int64(secondsOfDayNanos) == 0:
		return a
	case rightLength && (a.Kind == Timestamp || a.Kind == Date), leftLength && b.Kind == Timestamp:
		return Type{Kind: Timestamp}
	case o.sign == '-' && a.isTime() && b.isTime() && !(a.Kind == Date && b.Kind == Date):
		return Type{Kind: Float}
	case a.Kind == Date && b.Kind == Date:
		return Type{Kind: Exact}
	case a.Kind == Date && b.Kind == Exact:
		return a
	case a.Kind == Float || b.Kind == Float || o.sign == '/':
		return Type{Kind: Float}
	case a.Kind != Exact || b.Kind != Exact:
		return Type{}
	case o.sign == '*':
		return Type{Exact, a.Scale + b.Scale}
	}
	return Type{Exact, max(a.Scale, b.Scale)}
}

const secondsOfDayNanos = 24 * 3600 * 1_000_000_000

func (n *negative) typed(column func(int) Type) Type { return n.of.typed(column) }

func (c *call) typed(column func(int) Type) Type {
	var args []Type
	for _, a := range c.args {
		args = append(args, a.typed(column))
	}
	return c.result(args)
}

func (c *choice) typed(column func(int) Type) Type {
	var all []Type
	add := func(n Node) {
		if k, ok := n.(*Constant); n != nil && !(ok && k.value.IsNull()) {
			all = append(all, n.typed(column))
		}
	}
	for _, a := range c.arms {
		add(a.then)
	}
	if c.other != nil {
		add(c.other)
	}
	return common(all...)
}

func (*Junction) typed(func(int) Type) Type { return Type{Kind: Boolean} }
func (*Not) typed(func(int) Type) Type      { return Type{Kind: Boolean} }
func (*Compare) typed(func(int) Type) Type  { return Type{Kind: Boolean} }
func (*Between) typed(func(int) Type) Type  { return Type{Kind: Boolean} }
func (*Member) typed(func(int) Type) Type   { return Type{Kind: Boolean} }
func (*Match) typed(func(int) Type) Type    { return Type{Kind: Boolean} }
func (*Null) typed(func(int) Type) Type     { return Type{Kind: Boolean} }
func (*distinct) typed(func(int) Type) Type { return Type{Kind: Boolean} }

// target is a type that values are cast to.
type target struct {
	Type
	name          string
	digits, scale int // of a decimal; digits is 0 if none were given
}

// targets are the names of types, and what they mean.
var targets = func() map[string]Type {
	all := map[string]Type{}
	for kind, names := range map[ValueKind]string{
		Exact:     "integer int bigint smallint tinyint hugeint int2 int4 int8 long decimal numeric",
		Float:     "double float real float4 float8",
		Text:      "varchar text string char",
		Date:      "date",
		Timestamp: "timestamp timestamptz datetime",
		Boolean:   "boolean bool",
	} {
		for _, name := range strings.Fields(names) {
			all[name] = Type{Kind: kind}
		}
	}
	return all
}()

// isDecimal reports whether a type keeps digits after the point as they are, unless told otherwise.
func isDecimal(name string) bool { return name == "decimal" || name == "numeric" }

func (t target) String() string {
	if t.digits > 0 {
		return fmt.Sprintf("%s(%d, %d)", t.name, t.digits, t.scale)
	}
	return t.name
}

func (c *cast) typed(func(int) Type) Type { return Type{c.to.Kind, c.to.scale} }

func (c *cast) eval(r *Row) value.Value {
	v := c.of.eval(r)
	result := c.to.of(v)
	if asked := c.asked(); asked != Anything && result.IsNull() && r.reports() {
		r.check(c.of, v, asked)
	}
	return result
}

// asked returns what a cast asks a value for.
func (c *cast) asked() Asked {
	switch {
	case c.try:
	case c.to.isNumber():
		return Number
	case c.to.isTime():
		return Time
	}
	return Anything
}

// of returns a value as one of the type, null if it is none.
func (t target) of(v value.Value) value.Value {
	if v.IsNull() {
		return v
	}
	switch t.Kind {
	case Text:
		return value.OfText(v.Text())
	case Boolean:
		if holds, known := v.Truth(); known {
			return value.OfBool(holds)
		}
		return value.Value{}
	case Date, Timestamp:
		moment, ok := value.ParseTime(v.Text())
		switch {
		case !ok:
			return value.Value{}
		case t.Kind == Date:
			moment = moment.Days()
		default:
			moment = moment.Clock()
		}
		return value.OfText(moment.AppendText(nil))
	}
	n, ok := v.Number()
	if !ok { // true is 1
		text := bytes.TrimSpace(v.Text())
		holds, known := value.OfText(text).Truth()
		if !known || len(text) < len("true") {
			return value.Value{}
		}
		n = decimal.FromPlain(0, 0)
		if holds {
			n = decimal.FromPlain(1, 0)
		}
	}
	switch {
	case t.Kind == Float:
		return value.OfNumber(decimal.FromFloat(n.Float64()))
	case n.IsInfinite() || n.IsNaN():
		return value.Value{}
	case n.IsFloat():
		n = decimal.FromBig(integerOf(n, decimalScale(t)), decimalScale(t))
	}
	if isDecimal(t.name) && t.digits == 0 {
		return value.OfNumber(n)
	}
	if n = round(n, t.scale); t.digits > 0 && n.Abs().Compare(tenTo(t.digits-t.scale)) >= 0 {
		return value.Value{}
	}
	return value.OfNumber(n)
}

// decimalScale is how many digits after the point a float keeps when it becomes a decimal.
func decimalScale(t target) int {
	if isDecimal(t.name) && t.digits == 0 {
		return 18
	}
	return t.scale
}

// boolean is the type of conditions as a target.
var boolean = target{Type: Type{Kind: Boolean}, name: "boolean"}
