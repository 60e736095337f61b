package expr

import (
	"cmp"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// Scope gives the names in a text their meaning.
type Scope struct {
	// Resolve returns the column of a name. An unquoted name of digits only is a column number.
	Resolve key.Resolve

	// Derive returns the column that will hold the values of an expression.
	Derive func(*Expr) (column int)

	// Call returns the column that is written like the call of a function, for example an aggregate. ok
	// is false if it means nothing else. Call may be nil.
	Call func(text string) (column int, ok bool, err error)

	// QuotedNames: names may also be in double quotes, because there are no texts.
	QuotedNames bool
}

// depthMax limits how deep parentheses, signs and calls may be nested.
const depthMax = 200

// Parse reads the expression that begins at text[at], and returns where it ends. Errors are of type
// *key.SyntaxError.
//
//	sum     = product { ( "+" | "-" ) product }
//	product = operand { ( "*" | "/" ) operand }
//	operand = ( "+" | "-" ) operand | number | column | function "(" sum ")" | "(" sum ")"
//	column  = ( name | `name` | $5 ) [ "[" from ":" to "]" ]
func Parse(text string, at int, scope Scope) (e *Expr, end int, err error) {
	l := &Lexer{Text: text, At: at}
	if err := l.Next(); err != nil {
		return nil, at, err
	}
	if e, err = l.Expr(scope); err != nil {
		return nil, at, err
	}
	return e, l.Token.At, nil
}

// Expr reads an expression, of which the next token is the first one.
func (l *Lexer) Expr(scope Scope) (*Expr, error) {
	p := parser{Lexer: l, Scope: scope}
	root, err := p.sum(0)
	if err != nil {
		return nil, err
	}
	slices.Sort(p.columns)
	return &Expr{root, slices.Compact(p.columns)}, nil
}

type parser struct {
	*Lexer
	Scope
	columns []int
}

func (p *parser) sum(depth int) (node, error) { return p.operations(depth, "+-", p.product) }

func (p *parser) product(depth int) (node, error) { return p.operations(depth, "*/", p.operand) }

// operations reads operands with one of the signs between them, from left to right.
func (p *parser) operations(depth int, signs string, operand func(int) (node, error)) (node, error) {
	n, err := operand(depth)
	for err == nil && p.Token.Kind == Sign && len(p.Token.Text) == 1 && strings.Contains(signs, p.Token.Text) {
		sign := p.Token.Text[0]
		if err = p.Next(); err != nil {
			break
		}
		var right node
		if right, err = operand(depth); err == nil {
			n = &operation{sign, n, right}
		}
	}
	return n, err
}

func (p *parser) operand(depth int) (node, error) {
	t := p.Token
	if depth > depthMax {
		return nil, p.Wrong(t.At, "this is nested deeper than %d", depthMax)
	}
	switch {
	case t.Kind == Sign && (t.Text == "-" || t.Text == "+"):
		if err := p.Next(); err != nil {
			return nil, err
		}
		of, err := p.operand(depth + 1)
		if err == nil && t.Text == "-" {
			of = &negative{of}
		}
		return of, err
	case t.Kind == Open:
		return p.parentheses(depth)
	case t.Kind == Digits && !(IsDigits(t.Text) && strings.HasPrefix(p.Text[p.At:], "[")):
		n, k := decimal.Parse([]byte(t.Text))
		if k != decimal.Plain && k != decimal.Irregular {
			return nil, p.Wrong(t.At, "%s %s; put a text in double quotes", t.Text, decimal.Reason([]byte(t.Text)))
		}
		return &literal{t.Text, n}, p.Next()
	case t.Kind == Word && strings.HasPrefix(strings.TrimLeft(p.Text[p.At:], " \t"), "("):
		return p.call(depth)
	case t.Kind == Word, t.Kind == Back, t.Kind == Dollar, t.Kind == Digits, t.Kind == Double && p.QuotedNames:
		o, err := p.column()
		return &field{o}, err
	}
	return nil, p.Wrong(t.At, "a column is missing here: a name, or $ and a number from 1")
}

func (p *parser) parentheses(depth int) (node, error) {
	opened := p.Token.At
	if err := p.Next(); err != nil {
		return nil, err
	}
	n, err := p.sum(depth + 1)
	if err != nil {
		return nil, err
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
	return p.Wrong(p.Token.At, "one of + - * / or a closing parenthesis is missing before this")
}

// call reads the call of a function.
func (p *parser) call(depth int) (node, error) {
	t := p.Token
	if p.Call != nil {
		if end := callEnd(p.Text, p.At); end > 0 {
			column, ok, err := p.Call(p.Text[t.At:end])
			if err != nil {
				return nil, shifted(err, p.Text, t.At)
			}
			if ok {
				p.columns = append(p.columns, column)
				o := Operand{Column: column, Slice: key.Whole(), Name: p.Text[t.At:end], Quoted: true}
				p.At = end
				p.Token = Token{Closing, ")", end - 1}
				return &field{o}, p.Next()
			}
		}
	}
	f := functionOf(t.Text)
	if f == nil {
		return nil, p.Wrong(t.At, "there is no function %s%s", t.Text, suggestion(t.Text))
	}
	if err := p.Next(); err != nil {
		return nil, err
	}
	opened := p.Token.At
	if err := p.Next(); err != nil {
		return nil, err
	}
	of, err := p.sum(depth + 1)
	if err != nil {
		return nil, err
	}
	return &call{f, of}, p.close(opened)
}

// callEnd returns where the parenthesis that opens at or after from is closed, 0 if it is not.
func callEnd(text string, from int) int {
	l := Lexer{Text: text, At: from}
	for depth := 0; ; {
		if l.Skip() != nil {
			return 0
		}
		switch l.Token.Kind {
		case Open:
			depth++
		case Closing:
			if depth--; depth == 0 {
				return l.At
			}
		case End:
			return 0
		}
	}
}

// shifted makes an error about a part of a text, from an offset on, one about the text.
func shifted(err error, text string, from int) error {
	if wrong, ok := err.(*key.SyntaxError); ok {
		return &key.SyntaxError{Reason: wrong.Reason, Text: text, At: from + wrong.At}
	}
	return err
}

// suggestion names the functions that may have been meant.
func suggestion(name string) string {
	if near := key.Nearest(strings.ToLower(name), functionNames()); near != "" {
		return "; did you mean " + near + "?"
	}
	return "; the functions are " + strings.Join(functionNames(), ", ")
}

func functionNames() (names []string) {
	for i := range functions {
		names = append(names, functions[i].name)
	}
	slices.SortFunc(names, cmp.Compare[string])
	return names
}

// column reads a column and its slice.
func (p *parser) column() (o Operand, err error) {
	t := p.Token
	o = Operand{Slice: key.Whole(), Name: t.Text, Quoted: t.Kind == Back || t.Kind == Double}
	if o.Column, err = p.Resolve(t.Text, o.Quoted); err != nil {
		return o, p.Wrong(t.At, "%v", err)
	}
	p.columns = append(p.columns, o.Column)
	if strings.HasPrefix(p.Text[p.At:], "[") {
		if o.Slice, p.At, err = key.ParseSlice(p.Text, p.At); err != nil {
			return o, err
		}
	}
	return o, p.Next()
}
