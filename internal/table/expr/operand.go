package expr

import (
	"errors"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/value"
)

func (p *parser) text(depth int) (Node, error) {
	return p.operations(depth, []string{"||"}, p.sum)
}

func (p *parser) sum(depth int) (Node, error) {
	return p.operations(depth, []string{"+", "-"}, p.product)
}

func (p *parser) product(depth int) (Node, error) {
	return p.operations(depth, []string{"*", "/", "%"}, p.operand)
}

// operations reads operands with one of the signs between them, from left to right.
func (p *parser) operations(depth int, signs []string, operand func(int) (Node, error)) (Node, error) {
	n, err := operand(depth)
	for err == nil && p.Token.Kind == Sign && isWord(p.Token.Text, signs...) {
		sign := p.Token.Text[0]
		if err = p.Next(); err != nil {
			break
		}
		var right Node
		if right, err = operand(depth); err == nil {
			n = &operation{sign, n, right}
		}
	}
	return n, err
}

func (p *parser) operand(depth int) (n Node, err error) {
	t := p.Token
	if depth > depthMax {
		return nil, p.tooDeep()
	}
	if t.Kind == Sign && (t.Text == "-" || t.Text == "+") {
		if err := p.Next(); err != nil {
			return nil, err
		}
		of, err := p.operand(depth + 1)
		if err == nil && t.Text == "-" {
			of = &negative{of}
		}
		return of, err
	}
	if n, err = p.primary(depth); err != nil {
		return nil, err
	}
	for p.Is(Sign, "::") {
		if err := p.Next(); err != nil {
			return nil, err
		}
		to, err := p.target()
		if err != nil {
			return nil, err
		}
		n = &cast{of: n, to: to}
	}
	return n, nil
}

func (p *parser) primary(depth int) (Node, error) {
	switch t := p.Token; {
	case t.Kind == Open:
		return p.parentheses(depth)
	case t.Kind == Digits && !(IsDigits(t.Text) && strings.HasPrefix(p.Text[p.At:], "[")):
		n, k := decimal.Parse([]byte(t.Text))
		if k != decimal.Plain && k != decimal.Irregular {
			return nil, p.Wrong(t.At, "%s %s; put a text in %s quotes", t.Text, decimal.Reason([]byte(t.Text)), p.quotes())
		}
		return &Literal{t.Text, n}, p.Next()
	case p.isText():
		return &Constant{value.OfText([]byte(t.Text)), Single}, p.Next()
	case t.Kind == Word:
		return p.named(depth)
	case t.Kind == Back, t.Kind == Dollar, t.Kind == Digits, t.Kind == Double:
		return p.column(depth)
	}
	return nil, p.Wrong(p.Token.At, "a column is missing here: a name, or $ and a number from 1")
}

// quotes says which quotes are around texts.
func (p *parser) quotes() string {
	if p.QuotedNames {
		return "single"
	}
	return "double"
}

// named reads what begins with a word: the call of a function, a word of the language, or a column.
func (p *parser) named(depth int) (Node, error) {
	t := p.Token
	word := strings.ToLower(t.Text)
	if strings.HasPrefix(strings.TrimLeft(p.Text[p.At:], " \t\r\n"), "(") && word != "case" {
		return p.call(depth)
	}
	switch next := p.peek(); {
	case word == "case" && (next.Kind == Word && isWord(next.Text, "when") || !p.isColumn(t)):
		return p.choice(depth)
	case word == "interval" && (next.Kind == Single || next.Kind == Digits):
		return p.interval()
	case (word == "date" || word == "timestamp") && next.Kind == Single:
		return p.moment(word)
	case (word == "null" || word == "true" || word == "false") && !p.isColumn(t):
		c := &Constant{kind: Word}
		if word != "null" {
			c.value = value.OfBool(word == "true")
		}
		return c, p.Next()
	}
	return p.column(depth)
}

// isColumn reports whether a word is the name of a column.
func (p *parser) isColumn(t Token) bool {
	if p.SQL {
		return false
	}
	_, err := p.Resolve(t.Text, false)
	return err == nil
}

func (p *parser) parentheses(depth int) (Node, error) {
	opened := p.Token.At
	if err := p.Next(); err != nil {
		return nil, err
	}
	n, err := p.condition(depth + 1)
	if err != nil {
		return nil, err
	}
	if p.Token.Kind == Comma {
		return nil, p.Wrong(opened, "several values in parentheses are not one; compare each: a = 1 and b = 'x'")
	}
	return n, p.close(opened)
}

// close reads the parenthesis that closes the one at an offset.
func (p *parser) close(opened int) error {
	switch p.Token.Kind {
	case Closing:
		return p.Next()
	case End:
		return p.Wrong(opened, "the parenthesis is never closed")
	}
	return p.Wrong(p.Token.At, "an operator, a comma or a closing parenthesis is missing before this")
}

// column reads a column and its slice, or what is meant if there is no such column.
func (p *parser) column(depth int) (n Node, err error) {
	t, other := p.Token, p.peek().Text == OrElse
	o := Operand{Slice: key.Whole(), Name: t.Text, Quoted: t.Kind == Back || t.Kind == Double}
	o.Column, err = p.Resolve(t.Text, o.Quoted)
	switch {
	case other && (err != nil || p.AnyName):
		if err := errors.Join(p.Next(), p.Next()); err != nil {
			return nil, err
		}
		return p.parentheses(depth)
	case other:
		return &Field{o}, p.skip()
	case err != nil:
		before, named := strings.TrimRight(p.Text[:t.At], " "), t.Kind != Back && p.Text[t.At] != '$'
		if named && strings.HasSuffix(before, "=") {
			return nil, p.Wrong(t.At, "%v; a text is in quotes: '%s'", err, t.Text) // a shell takes them away
		}
		if elsewhere()[strings.ToLower(t.Text)] == clock {
			return nil, p.Wrong(t.At, "%v; write %s", err, clock)
		}
		return nil, p.Wrong(t.At, "%v", err)
	}
	if strings.HasPrefix(p.Text[p.At:], "[") {
		if o.Slice, p.At, err = key.ParseSlice(p.Text, p.At); err != nil {
			return nil, err
		}
	}
	return &Field{o}, p.Next()
}

// skip reads what is meant if there is no column, of which there is one.
func (p *parser) skip() error {
	for open := -1; open != 0; {
		if err := p.Next(); err != nil {
			return err
		}
		switch {
		case p.Token.Kind == Open:
			open = max(open, 0) + 1
		case p.Token.Kind == Closing:
			open--
		case p.Token.Kind == End:
			return p.Wrong(p.Token.At, "a closing parenthesis is missing here")
		}
	}
	return p.Next()
}
