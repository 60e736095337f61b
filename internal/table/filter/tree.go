package filter

import (
	"strings"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// node is a part of a filter.
type node interface {
	// append writes the node so that it stands where what holds it binds as tightly as
	// around.
	append(b []byte, around binding) []byte
	selector(b *builder) selector
}

// binding is how tightly a word binds its parts.
type binding int

const (
	loose binding = iota // no word around
	byOr                 // a part of "or"
	byAnd                // a part of "and"
	byNot                // what "not" negates
)

// all fits what fits every part, some what fits at least one, not what does not fit of.
type (
	all  struct{ parts []node }
	some struct{ parts []node }
	not  struct{ of node }
)

// operand is a column, or some bytes of each of its fields.
type operand struct {
	column int
	slice  key.Slice
	name   string // as written, without quotes
	quoted bool
}

// relation is an operator that compares.
type relation int

const (
	equal relation = iota
	unequal
	less
	atMost
	greater
	atLeast
)

// signs are the relations as they are written, by relation.
var signs = [...]string{"=", "!=", "<", "<=", ">", ">="}

// holds reports whether the relation holds between a and b that compare as c says.
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

// The leaves: an operand and a number, a text, another operand, an expression.
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
		negated bool
		pattern *key.Pattern
	}
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
	return appendQuoted(n.left.appendSign(b, signs[n.rel]), n.right, `"`)
}

func (n *mutual) append(b []byte, _ binding) []byte {
	return n.right.append(n.left.appendSign(b, signs[n.rel]))
}

func (n *match) append(b []byte, _ binding) []byte {
	sign := "~"
	if n.negated {
		sign = "!~"
	}
	return appendQuoted(n.left.appendSign(b, sign), n.pattern.String(), "'")
}

// appendSign appends the operand and the sign behind it.
func (o *operand) appendSign(b []byte, sign string) []byte {
	b = append(o.append(b), ' ')
	return append(append(b, sign...), ' ')
}

func (o *operand) append(b []byte) []byte {
	switch {
	case !o.quoted && isDigits(o.name):
		b = append(append(b, '$'), o.name...)
	case isWord(o.name) && !isKeyword(o.name):
		b = append(b, o.name...)
	default:
		b = appendQuoted(b, o.name, "`")
	}
	return append(b, o.slice.String()...)
}

func appendQuoted(b []byte, text, mark string) []byte {
	b = append(b, mark...)
	b = append(b, strings.ReplaceAll(text, mark, mark+mark)...)
	return append(b, mark...)
}
