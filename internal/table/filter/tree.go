package filter

import (
	"strings"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// node is a part of a filter.
type node interface {
	// append appends the node in canonical notation, in parentheses if the parent node binds
	// more tightly than the node.
	append(b []byte, around binding) []byte
	// selector returns the selector of the records for which the node is true or, negated, false.
	selector(b *builder, negated bool) selector
}

// binding is how tightly an operator binds its operands.
type binding int

const (
	loose binding = iota // no operator around
	byOr                 // an operand of "or"
	byAnd                // an operand of "and"
	byNot                // the operand of "not"
)

// all is true if every part is, some if at least one part is, not if of is false.
type (
	all  struct{ parts []node }
	some struct{ parts []node }
	not  struct{ of node }
)

// operand is a column, a slice of a column, or a column that holds the values of an expression.
type operand struct {
	column int
	slice  key.Slice
	text   string // in canonical notation
}

// The leaves compare an operand with a number, a text, a regular expression, or lists of numbers and texts. A LIKE
// pattern is a regular expression, written differently.
type (
	numeric struct {
		left  operand
		rel   expr.Relation
		right decimal.Number
		text  string // right, as written
	}
	textual struct {
		left  operand
		rel   expr.Relation
		right string
		bare  bool // it is written without the comparison
	}
	// constant is the same for all records.
	constant struct {
		holds, known bool
		text         string
	}
	match struct {
		left    operand
		sign    string // with ~ or like, as written
		text    string // right, as written
		pattern *key.Pattern
	}
	member struct {
		left    operand
		numbers []decimal.Number
		texts   []string
		list    []string // both, in canonical notation
	}
	null struct{ of operand }
)

func (n *all) append(b []byte, around binding) []byte {
	return appendParts(b, n.parts, " and ", byAnd, around)
}

func (n *some) append(b []byte, around binding) []byte {
	return appendParts(b, n.parts, " or ", byOr, around)
}

func appendParts(b []byte, parts []node, word string, own, around binding) []byte {
	if around > own {
		b = append(b, '(')
	}
	for i, p := range parts {
		if i > 0 {
			b = append(b, word...)
		}
		b = p.append(b, own)
	}
	if around > own {
		b = append(b, ')')
	}
	return b
}

func (n *not) append(b []byte, _ binding) []byte {
	return n.of.append(append(b, "not "...), byNot)
}

func (n *numeric) append(b []byte, _ binding) []byte {
	return append(n.left.appendSign(b, expr.Signs[n.rel]), n.text...)
}

func (n *constant) append(b []byte, _ binding) []byte { return append(b, n.text...) }

func (n *textual) append(b []byte, _ binding) []byte {
	if n.bare {
		return n.left.append(b)
	}
	return expr.AppendQuoted(n.left.appendSign(b, expr.Signs[n.rel]), n.right, `"`)
}

func (n *match) append(b []byte, _ binding) []byte {
	return expr.AppendQuoted(n.left.appendSign(b, n.sign), n.text, "'")
}

func (n *member) append(b []byte, _ binding) []byte {
	b = append(n.left.appendSign(b, "in"), '(')
	return append(append(b, strings.Join(n.list, ", ")...), ')')
}

func (n *null) append(b []byte, _ binding) []byte {
	return append(n.of.append(b), " is null"...)
}

// appendSign appends the operand, followed by the sign.
func (o *operand) appendSign(b []byte, sign string) []byte {
	b = append(o.append(b), ' ')
	return append(append(b, sign...), ' ')
}

func (o *operand) append(b []byte) []byte { return append(b, o.text...) }
