package expr

import (
	"regexp"
	"sync"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// Node is a part of an expression.
type Node interface {
	eval(r *Row) value.Value
	// append appends the node in canonical notation, in parentheses if what is around it binds more tightly.
	append(b []byte, around binding, name func(column int) string) []byte
	// parts returns the nodes directly below.
	parts() []Node
	// typed returns the type of the values, given those of columns.
	typed(column func(column int) Type) Type
}

// The nodes of values.
type (
	// Literal is a number.
	Literal struct {
		Text string // as written
		n    decimal.Number
	}
	// Constant is a text, a boolean or null.
	Constant struct {
		value value.Value
		kind  Kind // Single for a text, Double for one that is written so, Word for true, false and null
	}
	// Field is a column.
	Field struct{ Operand }
	// operation is + - * / % or, for texts, |.
	operation struct {
		sign        byte
		left, right Node
	}
	negative struct{ of Node }
	call     struct {
		*function
		args []Node
		run  func(args []value.Value) value.Value
		// scratch has room for arguments, *[]value.Value, so that no record allocates it.
		scratch sync.Pool
	}
	cast struct {
		of  Node
		to  target
		try bool // try_cast: a value that cannot be converted is null and not counted
	}
	// length is an interval.
	length struct {
		value.Interval
		text string // as written between quotes
	}
	// choice is case: the result after the first condition that is true. With an operand, conditions are values that
	// equal it.
	choice struct {
		operand Node // nil if there is none
		arms    []arm
		other   Node // nil if there is no else
	}
	arm struct {
		when, then Node
		value      Node // what the operand is compared with, if there is one
	}
)

// The nodes of conditions.
type (
	// Junction is true if all parts are, or some are.
	Junction struct {
		All   bool
		Parts []Node
	}
	// Not is true if Of is false.
	Not struct{ Of Node }
	// Compare is a relation between two values. A constant is on the right.
	Compare struct {
		Rel         Relation
		Left, Right Node
		constant    value.Value
		known       Kind // Digits if Right is a constant number, Single if a constant text, End if it is no constant
		moment      value.Time
		isTime      bool
	}
	// Between is a range with both its ends.
	Between struct {
		Of, low, high   Node
		AtLeast, AtMost *Compare
	}
	// Member is true if the value is one of a list.
	Member struct {
		Of   Node
		List []Node
		each []*Compare
	}
	// Match is ~, like and the like.
	Match struct {
		Of      Node
		Sign    string // as written, in lower case, without not
		Text    string // as written
		Pattern string // the regular expression
		re      *regexp.Regexp
	}
	// Null is true if the value is null.
	Null struct{ Of Node }
	// distinct is true if the values differ, or one of them is null.
	distinct struct{ left, right Node }
)

// Relation is a comparison operator.
type Relation int

// The relations.
const (
	Equal Relation = iota
	Unequal
	Less
	AtMost
	Greater
	AtLeast
)

// Signs are the notations of the relations.
var Signs = [...]string{"=", "!=", "<", "<=", ">", ">="}

// Opposite returns the relation that holds where r does not.
func (r Relation) Opposite() Relation {
	return [...]Relation{Equal: Unequal, Unequal: Equal, Less: AtLeast, AtMost: Greater, Greater: AtMost, AtLeast: Less}[r]
}

// Mirrored returns the relation with its sides exchanged.
func (r Relation) Mirrored() Relation {
	return [...]Relation{Equal: Equal, Unequal: Unequal, Less: Greater, AtMost: AtLeast, Greater: Less, AtLeast: AtMost}[r]
}

// Holds reports whether the relation holds between two values whose comparison returned c.
func (r Relation) Holds(c int) bool {
	switch r {
	case Equal:
		return c == 0
	case Unequal:
		return c != 0
	case Less:
		return c < 0
	case AtMost:
		return c <= 0
	case Greater:
		return c > 0
	}
	return c >= 0
}

func (*Literal) parts() []Node     { return nil }
func (*Constant) parts() []Node    { return nil }
func (*Field) parts() []Node       { return nil }
func (*length) parts() []Node      { return nil }
func (o *operation) parts() []Node { return []Node{o.left, o.right} }
func (n *negative) parts() []Node  { return []Node{n.of} }
func (c *call) parts() []Node      { return c.args }
func (c *cast) parts() []Node      { return []Node{c.of} }
func (j *Junction) parts() []Node  { return j.Parts }
func (n *Not) parts() []Node       { return []Node{n.Of} }
func (c *Compare) parts() []Node   { return []Node{c.Left, c.Right} }
func (b *Between) parts() []Node   { return []Node{b.AtLeast, b.AtMost} }
func (m *Member) parts() []Node    { return append([]Node{m.Of}, m.List...) }
func (m *Match) parts() []Node     { return []Node{m.Of} }
func (n *Null) parts() []Node      { return []Node{n.Of} }
func (d *distinct) parts() []Node  { return []Node{d.left, d.right} }

func (c *choice) parts() (nodes []Node) {
	if c.operand != nil {
		nodes = append(nodes, c.operand)
	}
	for _, a := range c.arms {
		nodes = append(nodes, a.when, a.then)
	}
	if c.other != nil {
		nodes = append(nodes, c.other)
	}
	return nodes
}

// isCondition reports whether the values of a node are those of a condition.
func isCondition(n Node) bool {
	switch n.(type) {
	case *Junction, *Not, *Compare, *Between, *Member, *Match, *Null, *distinct:
		return true
	}
	return n.typed(func(int) Type { return Type{} }).Kind == Boolean
}

// isConstant reports whether a node has no column.
func isConstant(n Node) bool {
	constant := true
	eachField(n, func(*Field) { constant = false })
	return constant
}

// compare returns a comparison, with a constant on its right side if only one side is one.
func compare(rel Relation, left, right Node) *Compare {
	if isConstant(left) && !isConstant(right) {
		rel, left, right = rel.Mirrored(), right, left
	}
	c := &Compare{Rel: rel, Left: left, Right: right}
	if !isConstant(right) {
		return c
	}
	c.constant = right.eval(nil)
	switch {
	case isTextual(right):
		c.known = Single
		c.moment, c.isTime = value.ParseTime(c.constant.Text())
	case !c.constant.IsNull():
		if _, ok := c.constant.Number(); ok {
			c.known = Digits
		} else {
			c.known = Single
			c.moment, c.isTime = value.ParseTime(c.constant.Text())
		}
	}
	return c
}

// isTextual reports whether a constant is a text by the way it is written, even if it reads as a number.
func isTextual(n Node) bool {
	c, ok := n.(*Constant)
	return ok && !c.value.IsNull()
}

// ConstantNumber returns the number that the right side is; ok is false if it is none.
func (c *Compare) ConstantNumber() (n decimal.Number, ok bool) {
	if c.known != Digits {
		return n, false
	}
	return c.constant.Number()
}

// ConstantText returns the text that the right side is; ok is false if it is none.
func (c *Compare) ConstantText() (text string, ok bool) {
	return string(c.constant.Text()), c.known == Single
}

// Each returns the comparisons with the values of the list.
func (m *Member) Each() []*Compare { return m.each }

// Truth returns what a node is as a condition.
func Truth(n Node) Node {
	if isCondition(n) {
		return n
	}
	return &cast{of: n, to: boolean}
}

// When returns the expression that has the values of another one where a condition is true, and is null otherwise.
func When(condition, then *Expr) *Expr {
	return Of(&choice{arms: []arm{{when: condition.Root, then: then.Root}}})
}

// Column returns the expression that is a column. call is true if its name is that of a derived one.
func Column(column int, name string, call bool) *Expr {
	return Of(&Field{Operand{Column: column, Slice: key.Whole(), Name: name, Quoted: true, Call: call}})
}

// All returns the condition that is true if all of some are.
func All(parts ...Node) *Expr {
	if len(parts) == 1 {
		return Of(parts[0])
	}
	return Of(&Junction{All: true, Parts: parts})
}

// Equals returns the condition that two expressions are equal.
func Equals(a, b *Expr) Node { return compare(Equal, a.Root, b.Root) }

// One returns the expression that is 1.
func One() *Expr { return Of(&Literal{"1", decimal.FromPlain(1, 0)}) }
