// Package expr has the language of a table: one grammar of values and conditions, used in filters, keys, aggregates and
// their expressions. It parses a text into a tree, names what is wrong with it, and evaluates the tree.
//
//	price * quantity      date_trunc('month', paid)      case when status >= 500 then 'bad' else 'good' end
//
// A value is null or a text, as the fields are; a number or a time is a text that reads as one (see package value),
// and a condition is the text true or false, or null if it is unknown. Everything else in a table works on columns of
// texts, so a computed value can be filtered, grouped and aggregated like a field. Numbers are written as package value
// says.
//
// Numbers are computed as package decimal does: exactly, but a quotient that does not end has 18 significant digits,
// and beyond the range of float64 a float is an infinity. The result of an operation with a field that is not a number
// is that field, so that it is found and reported where numbers are needed; or it is null and reported at once, see
// Row.Bad. The result of nearly anything with null is null. A quotient by zero is null, and so is a part of a text that
// is not a time.
//
// Expr.Value evaluates a tree for one record. It is the reference implementation of what is faster.
package expr

import (
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// Expr is an expression. It is safe for concurrent use.
type Expr struct {
	Root Node
	// Watched says that values that are not what was asked for are reported, and null.
	Watched bool

	columns []int
}

// Of returns the expression that is a tree.
func Of(root Node) *Expr {
	e := &Expr{Root: root}
	eachField(root, func(f *Field) { e.columns = append(e.columns, f.Column) })
	slices.Sort(e.columns)
	e.columns = slices.Compact(e.columns)
	return e
}

// eachField calls visit for each place of a column in a tree.
func eachField(n Node, visit func(*Field)) {
	if f, ok := n.(*Field); ok {
		visit(f)
		return
	}
	for _, part := range n.parts() {
		eachField(part, visit)
	}
}

// Columns returns the columns, from 0 and ascending, that the expression uses.
func (e *Expr) Columns() []int { return slices.Clone(e.columns) }

// Operand returns the column and the slice of it if the expression is nothing else.
func (e *Expr) Operand() (o Operand, ok bool) {
	f, ok := e.Root.(*Field)
	if ok {
		o = f.Operand
	}
	return o, ok
}

// Constant returns the value of an expression without columns.
func (e *Expr) Constant() (v value.Value, ok bool) {
	if len(e.columns) > 0 {
		return v, false
	}
	return e.Root.eval(nil), true
}

// String returns the expression in a canonical notation, which Parse reads as the same expression.
func (e *Expr) String() string { return e.Named(nil) }

// Named is String with other names of the columns. A name that is empty stays as it was written.
func (e *Expr) Named(name func(column int) string) string {
	return string(e.Root.append(nil, loose, name))
}

// Value returns the value for a record. field returns the fields of the columns in Columns, nil for null. The
// value may hold what field returned.
func (e *Expr) Value(field func(column int) []byte) value.Value {
	return e.Root.eval(&Row{Field: field})
}

// ValueOf is Value for a row; the row counts the values that are not of the kind asked for.
func (e *Expr) ValueOf(r *Row) value.Value { return e.Root.eval(r) }

// IsArithmetic reports whether the expression is sums, differences, products and quotients of columns and numbers
// alone. Whatever is no number among them is the result.
func (e *Expr) IsArithmetic() bool { return isArithmetic(e.Root) }

func isArithmetic(n Node) bool {
	switch n := n.(type) {
	case *Field, *Literal:
		return true
	case *operation:
		return n.sign != '|' && isArithmetic(n.left) && isArithmetic(n.right)
	case *negative:
		return isArithmetic(n.of)
	}
	return false
}

// Operand is a column, or a slice of a column.
type Operand struct {
	Column int
	Slice  key.Slice
	Name   string // as written, without quotes
	Quoted bool
	Call   bool // Name is the call of a function, whose values the column holds
}

// Append appends the operand as it is written.
func (o *Operand) Append(b []byte) []byte {
	switch {
	case o.Call:
		b = append(b, o.Name...)
	case !o.Quoted && IsDigits(o.Name):
		b = append(append(b, '$'), o.Name...)
	case IsWord(o.Name), !o.Quoted && strings.Contains(o.Name, "`"): // a path with steps in backquotes
		b = append(b, o.Name...)
	default:
		b = AppendQuoted(b, o.Name, "`")
	}
	return append(b, o.Slice.String()...)
}

// AppendQuoted appends a text between two marks. Marks in the text are doubled.
func AppendQuoted(b []byte, text, mark string) []byte {
	b = append(b, mark...)
	b = append(b, strings.ReplaceAll(text, mark, mark+mark)...)
	return append(b, mark...)
}
