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
	selector(b *builder) selector
}

// binding is how tightly an operator binds its operands.
type binding int

const (
	loose binding = iota // no operator around
	byOr                 // an operand of "or"
	byAnd                // an operand of "and"
	byNot                // the operand of "not"
)

// all matches if every part does, some if at least one part does, not if of does not.
type (
	all  struct{ parts []node }
	some struct{ parts []node }
	not  struct{ of node }
)

// operand is a column, a slice of a column, or a column that holds the values of an expression.
type operand struct {
	column   int
	slice    key.Slice
	text     string // in canonical notation
	computed bool   // the column holds the values of an expression
}

// relation is a comparison operator.
type relation int

const (
	equal relation = iota
	unequal
	less
	atMost
	greater
	atLeast
)

// signs are the notations of the relations.
var signs = [...]string{"=", "!=", "<", "<=", ">", ">="}

// holds reports whether the relation holds between two values whose comparison returned c.
func (r relation) holds(c int) bool {
	switch r {
	case equal:
		return c == 0
	case unequal:
		return c != 0
	case less:
		return c < 0
	case atMost:
		return c <= 0
	case greater:
		return c > 0
	}
	return c >= 0
}

// The leaves compare an operand with a number, a text, another operand, a regular expression, or
// lists of numbers and texts. A LIKE pattern is a regular expression, written differently.
type (
	numeric struct {
		left  operand
		rel   relation
		right decimal.Number
		text  string // right, as written
	}
	textual struct {
		left  operand
		rel   relation
		right string
	}
	mutual struct {
		left  operand
		rel   relation
		right operand
	}
	match struct {
		left    operand
		sign    string // with ~ or like, as written
		text    string // right, as written
		negated bool
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
	return append(n.left.appendSign(b, signs[n.rel]), n.text...)
}

func (n *textual) append(b []byte, _ binding) []byte {
	return expr.AppendQuoted(n.left.appendSign(b, signs[n.rel]), n.right, `"`)
}

func (n *mutual) append(b []byte, _ binding) []byte {
	return n.right.append(n.left.appendSign(b, signs[n.rel]))
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
