// Package expr computes values from the fields of a record: arithmetic of numbers, parts of dates
// and times, and changes of texts. It also has the tokens that the languages of filters, keys and
// aggregates share.
//
//	price * quantity      year(date)      lower(city)      date(paid) 	amount / 1.19 - fee
//
// A value is a text, as the fields are. Everything else in a table works on columns of texts, so
// a computed value can be filtered, grouped and aggregated like a field. Numbers are written
// without trailing zeros; a float64 has an exponent, which is what makes it one.
//
// Numbers are computed as package decimal does: exactly, but a quotient that does not end has 18
// significant digits. The result of an operation with a field that is not a number is that field,
// so that it is found and reported where numbers are needed. A quotient by zero is empty, and so is
// a part of a text that is not a time.
package expr

import (
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// Expr is an expression. It is safe for concurrent use.
type Expr struct {
	root    node
	columns []int
}

// Columns returns the columns, from 0 and ascending, that the expression uses.
func (e *Expr) Columns() []int { return slices.Clone(e.columns) }

// Operand returns the column and the slice of it if the expression is nothing else.
func (e *Expr) Operand() (o Operand, ok bool) {
	f, ok := e.root.(*field)
	if ok {
		o = f.Operand
	}
	return o, ok
}

// Constant returns the value of an expression of numbers only.
func (e *Expr) Constant() (n decimal.Number, ok bool) {
	if len(e.columns) > 0 {
		return n, false
	}
	return e.root.eval(nil).number()
}

// Literal returns the number as it is written if the expression is nothing else.
func (e *Expr) Literal() (text string, ok bool) {
	l, ok := e.root.(*literal)
	if ok {
		text = l.text
	}
	return text, ok
}

// String returns the expression in a canonical notation, which Parse reads as the same expression.
func (e *Expr) String() string { return e.Named(nil) }

// Named is String with other names of the columns. A name that is empty stays as it was written.
func (e *Expr) Named(name func(column int) string) string {
	return string(e.root.append(nil, bySum, name))
}

// Append appends the value for a record. field returns the fields of the columns in Columns.
func (e *Expr) Append(b []byte, field func(column int) []byte) []byte {
	return e.root.eval(field).append(b)
}

// Operand is a column, or a slice of a column.
type Operand struct {
	Column int
	Slice  key.Slice
	Name   string // as written, without quotes
	Quoted bool
}

// Append appends the operand as it is written.
func (o *Operand) Append(b []byte) []byte {
	switch {
	case !o.Quoted && IsDigits(o.Name):
		b = append(append(b, '$'), o.Name...)
	case IsWord(o.Name):
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

// node is a part of an expression.
type node interface {
	eval(field func(column int) []byte) value
	// append appends the node in canonical notation, in parentheses if the parent binds more tightly.
	append(b []byte, around binding, name func(column int) string) []byte
}

// binding is how tightly an operator binds its operands.
type binding int

const (
	bySum     binding = iota // an operand of + or -, or a whole expression
	byRight                  // the right operand of -
	byProduct                // an operand of * or /
	byDivisor                // the right operand of * or /
	bySign                   // the operand of a sign
)

type (
	literal struct {
		text string
		n    decimal.Number
	}
	field     struct{ Operand }
	operation struct {
		sign        byte // + - * /
		left, right node
	}
	negative struct{ of node }
	call     struct {
		*function
		of node
	}
)

func (l *literal) append(b []byte, _ binding, _ func(int) string) []byte { return append(b, l.text...) }

func (f *field) append(b []byte, _ binding, name func(int) string) []byte {
	if o := f.Operand; name != nil {
		if other := name(o.Column); other != "" {
			o.Name, o.Quoted = other, !IsDigits(other)
		}
		return o.Append(b)
	}
	return f.Append(b)
}

func (o *operation) append(b []byte, around binding, name func(int) string) []byte {
	own, right := bySum, byRight
	if o.sign == '*' || o.sign == '/' {
		own, right = byProduct, byDivisor
	}
	needed := around > own
	if needed {
		b = append(b, '(')
	}
	b = o.left.append(b, own, name)
	b = append(b, ' ', o.sign, ' ')
	b = o.right.append(b, right, name)
	if needed {
		b = append(b, ')')
	}
	return b
}

func (n *negative) append(b []byte, _ binding, name func(int) string) []byte {
	// The space keeps two signs, and a sign and a number, apart.
	return n.of.append(append(b, "- "...), bySign, name)
}

func (c *call) append(b []byte, _ binding, name func(int) string) []byte {
	b = append(append(b, c.name...), '(')
	return append(c.of.append(b, bySum, name), ')')
}
