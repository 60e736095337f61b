package filter

import (
	"slices"

	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// Parse reads a filter, see expr.ParseFilter. Errors are of type *key.SyntaxError: the reason, the filter, and a caret
// under the place, on a line each. Values that are not those of a column are derived.
func Parse(text string, scope expr.Scope) (*Filter, error) {
	scope.Filter = !scope.SQL
	e, err := expr.ParseFilter(text, scope)
	if err != nil {
		return nil, err
	}
	return Compile(e, scope.Derive), nil
}

// Compile returns the filter that is a condition. Values that are not those of a column are derived.
func Compile(e *expr.Expr, derive func(*expr.Expr) (column int)) *Filter {
	c := compiler{derive: derive}
	root := c.node(e.Root)
	slices.Sort(c.columns)
	return &Filter{root: root, columns: slices.Compact(c.columns), workerBytes: c.workerBytes}
}

type compiler struct {
	derive  func(*expr.Expr) (column int)
	columns []int

	workerBytes int64 // of the regular expressions
}

// node returns the node of a condition. One that no selector is for is a column that is true or false.
func (c *compiler) node(n expr.Node) node {
	switch n := n.(type) {
	case *expr.Junction:
		var parts []node
		for _, p := range n.Parts {
			parts = append(parts, c.node(p))
		}
		if n.All {
			return &all{parts}
		}
		return &some{parts}
	case *expr.Not:
		return &not{c.node(n.Of)}
	case *expr.Between:
		return &all{[]node{c.node(n.AtLeast), c.node(n.AtMost)}}
	case *expr.Compare:
		if !isConstant(n.Left) && !expr.Of(n.Left).IsNumeric() { // numbers need not be written to be compared
			return c.compare(n)
		}
	case *expr.Member:
		if !isConstant(n.Of) {
			return c.member(n)
		}
	case *expr.Match:
		if !isConstant(n.Of) {
			return c.match(n)
		}
	case *expr.Null:
		if !isConstant(n.Of) {
			return &null{c.operand(n.Of)}
		}
	}
	return c.truth(n)
}

func isConstant(n expr.Node) bool { return len(expr.Of(n).Columns()) == 0 }

// truth returns the node of a value that is a condition.
func (c *compiler) truth(n expr.Node) node {
	e := expr.Of(expr.Truth(n))
	if v, ok := e.Constant(); ok {
		holds, known := v.Truth()
		return &constant{holds, known, e.String()}
	}
	o := operand{slice: key.Whole(), text: expr.Of(n).String(), column: c.derive(e)}
	c.columns = append(c.columns, o.column)
	return &textual{left: o, rel: expr.Equal, right: "true", bare: true}
}

func (c *compiler) compare(n *expr.Compare) node {
	if !isConstant(n.Right) {
		return c.truth(n)
	}
	if number, ok := n.ConstantNumber(); ok {
		return &numeric{c.operand(n.Left), n.Rel, number, expr.Of(n.Right).String()}
	}
	if text, ok := n.ConstantText(); ok {
		return &textual{left: c.operand(n.Left), rel: n.Rel, right: text}
	}
	return &constant{text: expr.Of(n).String()} // with null
}

func (c *compiler) member(n *expr.Member) node {
	of := c.operand(n.Of)
	m, rest := &member{left: of}, []node{}
	for _, each := range n.Each() {
		number, isNumber := each.ConstantNumber()
		text, isText := each.ConstantText()
		switch {
		case isNumber:
			m.numbers = append(m.numbers, number)
			m.list = append(m.list, expr.Of(each.Right).String())
		case isText:
			m.texts = append(m.texts, text)
			m.list = append(m.list, string(expr.AppendQuoted(nil, text, `"`)))
		default:
			rest = append(rest, c.node(each))
		}
	}
	switch {
	case len(rest) == 0:
		return m
	case len(m.list) > 0:
		rest = append([]node{m}, rest...)
	}
	return &some{rest}
}

func (c *compiler) match(n *expr.Match) node {
	pattern, err := key.CompileTest(n.Pattern)
	if err != nil {
		panic("thresh: bug: a pattern that was parsed: " + err.Error())
	}
	c.workerBytes += pattern.FinderBytes()
	return &match{c.operand(n.Of), n.Sign, n.Text, pattern}
}

// operand returns the operand for a value.
func (c *compiler) operand(n expr.Node) operand {
	e := expr.Of(n)
	o := operand{slice: key.Whole(), text: e.String()}
	if field, ok := e.Operand(); ok {
		o.column, o.slice = field.Column, field.Slice
	} else {
		o.column = c.derive(e)
	}
	c.columns = append(c.columns, o.column)
	return o
}
