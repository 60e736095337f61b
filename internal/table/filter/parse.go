package filter

import (
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// depthMax limits how deep parentheses and negations may be nested.
const depthMax = 1000

// Parse reads a filter. Errors are of type *key.SyntaxError: the reason, the filter, and a caret
// under the place, on a line each.
//
//	filter     = conjunction { "or" conjunction }
//	conjunction= negation { "and" negation }
//	negation   = "not" negation | "(" filter ")" | comparison
//	comparison = column operator ( number | text | column ) | column ( "~" | "!~" ) expression
//	column     = ( name | `name` | $5 | 5 ) [ "[" from ":" to "]" ]
//
// A bare number is a column on the left side, and a number on the right side. Texts and
// expressions are in double or single quotes; a quote inside is doubled.
func Parse(expr string, resolve Resolve) (*Filter, error) {
	p := parser{expr: expr, resolve: resolve}
	if err := p.next(); err != nil {
		return nil, err
	}
	root, err := p.filter(0)
	if err != nil {
		return nil, err
	}
	switch p.token.kind {
	case end:
	case closing:
		return nil, p.wrong(p.token.at, "no parenthesis is open that this could close")
	default:
		return nil, p.wrong(p.token.at, `"and" or "or" is missing before this`)
	}
	slices.Sort(p.columns)
	return &Filter{root, slices.Compact(p.columns), p.workerBytes}, nil
}

type parser struct {
	expr    string
	at      int   // offset after token
	token   token // the next token
	resolve Resolve
	columns []int

	workerBytes int64 // of the expressions read so far
}

func (p *parser) is(k kind, text string) bool { return p.token.kind == k && p.token.text == text }

func (p *parser) filter(depth int) (node, error) {
	parts, err := p.parts("or", depth, p.conjunction)
	if err != nil || len(parts) == 1 {
		return first(parts), err
	}
	var flat []node
	for _, n := range parts {
		if s, ok := n.(*some); ok {
			flat = append(flat, s.parts...)
		} else {
			flat = append(flat, n)
		}
	}
	return &some{flat}, nil
}

func (p *parser) conjunction(depth int) (node, error) {
	parts, err := p.parts("and", depth, p.negation)
	if err != nil || len(parts) == 1 {
		return first(parts), err
	}
	var flat []node
	for _, n := range parts {
		if a, ok := n.(*all); ok {
			flat = append(flat, a.parts...)
		} else {
			flat = append(flat, n)
		}
	}
	return &all{flat}, nil
}

func first(parts []node) node {
	if len(parts) == 0 {
		return nil
	}
	return parts[0]
}

// parts reads parts separated by a keyword.
func (p *parser) parts(word string, depth int, part func(int) (node, error)) (parts []node, err error) {
	for {
		n, err := part(depth)
		if err != nil {
			return nil, err
		}
		parts = append(parts, n)
		if !p.is(keyword, word) {
			return parts, nil
		}
		if err := p.next(); err != nil {
			return nil, err
		}
	}
}

func (p *parser) negation(depth int) (node, error) {
	if depth > depthMax {
		return nil, p.wrong(p.token.at, "this is nested deeper than %d", depthMax)
	}
	switch {
	case p.is(keyword, "not"):
		if err := p.next(); err != nil {
			return nil, err
		}
		n, err := p.negation(depth + 1)
		if err != nil {
			return nil, err
		}
		return &not{n}, nil
	case p.token.kind == open:
		return p.parentheses(depth)
	}
	return p.comparison()
}

func (p *parser) parentheses(depth int) (node, error) {
	opened := p.token.at
	if err := p.next(); err != nil {
		return nil, err
	}
	n, err := p.filter(depth + 1)
	if err != nil {
		return nil, err
	}
	if p.token.kind == end {
		return nil, p.wrong(opened, "the parenthesis is never closed")
	}
	if p.token.kind != closing {
		return nil, p.wrong(p.token.at, `"and", "or" or a closing parenthesis is missing before this`)
	}
	return n, p.next()
}

func (p *parser) comparison() (node, error) {
	left, err := p.left()
	if err != nil {
		return nil, err
	}
	if p.token.kind != sign {
		return nil, p.wrong(p.token.at, "an operator is missing here: = != < <= > >= ~ !~")
	}
	op := p.token.text
	if err := p.next(); err != nil {
		return nil, err
	}
	if op == "~" || op == "!~" {
		return p.match(left, op == "!~")
	}
	rel := relation(slices.Index(signs[:], op))
	switch t := p.token; t.kind {
	case number:
		n, k := decimal.Parse([]byte(t.text))
		if k != decimal.Plain && k != decimal.Irregular {
			return nil, p.wrong(t.at, "%s %s; put a text in double quotes", t.text, decimal.Reason([]byte(t.text)))
		}
		return &numeric{left, rel, n, t.text}, p.next()
	case single, double:
		return &textual{left, rel, t.text}, p.next()
	case word, back, dollar:
		right, err := p.operand(t.text, t.kind == back)
		return &mutual{left, rel, right}, err
	}
	return nil, p.wrong(p.token.at, `a number, a "text" or a column is missing here`)
}

func (p *parser) match(left operand, negated bool) (node, error) {
	t := p.token
	if t.kind != single && t.kind != double {
		return nil, p.wrong(t.at, "a regular expression in single quotes is missing here")
	}
	pattern, err := key.Compile(t.text)
	if err != nil {
		// Doubled quotes in the expression shift the place of the error. Then point to its start.
		at := t.at
		if p.expr[at+1:p.at-1] == t.text {
			at += 1 + key.Place(t.text, err)
		}
		return nil, p.wrong(at, "%v", err)
	}
	p.workerBytes += pattern.FinderBytes()
	return &match{left, negated, pattern}, p.next()
}

// left reads the column on the left side of a comparison.
func (p *parser) left() (operand, error) {
	switch t := p.token; t.kind {
	case word, back, dollar:
		return p.operand(t.text, t.kind == back)
	case number:
		if isDigits(t.text) {
			return p.operand(t.text, false)
		}
		return operand{}, p.wrong(t.at, "a comparison has a column on the left and a number on the right")
	case single, double:
		return operand{}, p.wrong(t.at,
			"a comparison has a text on the right; on the left, write a column with a special name as `%s`",
			strings.ReplaceAll(t.text, "`", "``"))
	}
	return operand{}, p.wrong(p.token.at, "a column is missing here: a name, or $ and a number from 1")
}

// operand reads the rest of a column: its slice. The name has been read.
func (p *parser) operand(name string, quoted bool) (o operand, err error) {
	o = operand{slice: key.Whole(), name: name, quoted: quoted}
	if o.column, err = p.resolve(name, quoted); err != nil {
		return o, p.wrong(p.token.at, "%v", err)
	}
	p.columns = append(p.columns, o.column)
	if strings.HasPrefix(p.expr[p.at:], "[") {
		if o.slice, p.at, err = key.ParseSlice(p.expr, p.at); err != nil {
			return o, err
		}
	}
	return o, p.next()
}
