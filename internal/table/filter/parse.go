package filter

import (
	"regexp"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/expr"
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
//	comparison = left operator right
//	           | left [ "not" ] "between" right "and" right
//	           | left [ "not" ] "in" "(" constant { "," constant } ")"
//	           | left [ "not" ] ( "like" | "ilike" ) pattern
//	           | left ( "~" | "!~" | "~*" | "!~*" ) regular expression
//	           | left "is" [ "not" ] "null"
//	right      = number | text | expression
//
// The left side is an expression (see expr.Parse). A number that stands there alone is a column.
// Texts, patterns and regular expressions are in double or single quotes; a quote inside is doubled.
func Parse(text string, scope expr.Scope) (*Filter, error) {
	p := parser{Lexer: expr.Lexer{Text: text}, scope: scope}
	if err := p.Next(); err != nil {
		return nil, err
	}
	root, err := p.filter(0)
	if err != nil {
		return nil, err
	}
	switch p.Token.Kind {
	case expr.End:
	case expr.Closing:
		return nil, p.Wrong(p.Token.At, "no parenthesis is open that this could close")
	default:
		return nil, p.Wrong(p.Token.At, `"and" or "or" is missing before this`)
	}
	slices.Sort(p.columns)
	return &Filter{root, slices.Compact(p.columns), p.workerBytes}, nil
}

type parser struct {
	expr.Lexer
	scope   expr.Scope
	columns []int

	workerBytes int64 // of the regular expressions read so far
}

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
		if !p.Is(expr.Keyword, word) {
			return parts, nil
		}
		if err := p.Next(); err != nil {
			return nil, err
		}
	}
}

func (p *parser) negation(depth int) (node, error) {
	if depth > depthMax {
		return nil, p.Wrong(p.Token.At, "this is nested deeper than %d", depthMax)
	}
	switch {
	case p.Is(expr.Keyword, "not"):
		if err := p.Next(); err != nil {
			return nil, err
		}
		n, err := p.negation(depth + 1)
		if err != nil {
			return nil, err
		}
		return &not{n}, nil
	case p.Token.Kind == expr.Open && !p.opensExpression():
		return p.parentheses(depth)
	}
	return p.comparison()
}

// opensExpression reports whether the parenthesis that comes next is around a part of an
// expression, and not around a filter: it holds no comparison.
func (p *parser) opensExpression() bool {
	l := p.Lexer
	for depth := 0; ; {
		t := l.Token
		switch {
		case t.Kind == expr.End:
			return false
		case t.Kind == expr.Open:
			depth++
		case t.Kind == expr.Closing:
			if depth--; depth == 0 {
				return true
			}
		case t.Kind == expr.Keyword, comparing(t):
			return false
		}
		if l.Skip() != nil {
			return false
		}
	}
}

// comparing reports whether a token is a sign of a comparison, or a word that is used like one.
func comparing(t expr.Token) bool {
	if t.Kind == expr.Sign {
		return !strings.Contains("+-*/", t.Text)
	}
	return t.Kind == expr.Word && slices.Contains(words, strings.ToLower(t.Text))
}

// words are the operators that are words. They are also allowed as names of columns.
var words = []string{"between", "in", "is", "like", "ilike"}

func (p *parser) parentheses(depth int) (node, error) {
	opened := p.Token.At
	if err := p.Next(); err != nil {
		return nil, err
	}
	n, err := p.filter(depth + 1)
	if err != nil {
		return nil, err
	}
	if p.Token.Kind == expr.End {
		return nil, p.Wrong(opened, "the parenthesis is never closed")
	}
	if p.Token.Kind != expr.Closing {
		return nil, p.Wrong(p.Token.At, `"and", "or" or a closing parenthesis is missing before this`)
	}
	return n, p.Next()
}

const operatorMissing = "an operator is missing here: = != < <= > >= ~ !~ in between like is"

func (p *parser) comparison() (node, error) {
	left, err := p.left()
	if err != nil {
		return nil, err
	}
	negated := false
	if p.Is(expr.Keyword, "not") {
		negated = true
		if err := p.Next(); err != nil {
			return nil, err
		}
	}
	n, err := p.wordOperator(left, negated)
	if err != nil || n == nil {
		return nil, err
	}
	if negated {
		n = &not{n}
	}
	return n, nil
}

// wordOperator reads the rest of a comparison, after a "not" if it is negated.
func (p *parser) wordOperator(left operand, negated bool) (node, error) {
	t := p.Token
	word := strings.ToLower(t.Text)
	switch {
	case t.Kind == expr.Word && slices.Contains(words, word) && !(negated && word == "is"):
		if err := p.Next(); err != nil {
			return nil, err
		}
		switch word {
		case "between":
			return p.between(left)
		case "in":
			return p.in(left)
		case "is":
			return p.is(left)
		}
		return p.like(left, word)
	case negated:
		return nil, p.Wrong(t.At, "in, between, like or ilike is missing after not")
	case t.Kind != expr.Sign:
		return nil, p.Wrong(t.At, operatorMissing)
	}
	if err := p.Next(); err != nil {
		return nil, err
	}
	if strings.Contains(t.Text, "~") {
		return p.match(left, t.Text)
	}
	rel := slices.Index(signs[:], t.Text)
	if rel < 0 {
		return nil, p.Wrong(t.At, operatorMissing)
	}
	return p.relation(left, relation(rel))
}

// relation reads the right side of = and the like.
func (p *parser) relation(left operand, rel relation) (node, error) {
	t := p.Token
	switch t.Kind {
	case expr.Single, expr.Double:
		return &textual{left, rel, t.Text}, p.Next()
	case expr.End, expr.Keyword, expr.Closing, expr.Comma:
		return nil, p.Wrong(t.At, `a number, a "text" or a column is missing here`)
	}
	e, err := p.Expr(p.scope)
	if err != nil {
		return nil, err
	}
	if len(e.Columns()) == 0 {
		n, ok := e.Constant()
		if !ok {
			return nil, p.Wrong(t.At, "this is not a number, nor a column")
		}
		return &numeric{left, rel, n, e.String()}, nil
	}
	right, err := p.operand(e)
	return &mutual{left, rel, right}, err
}

// between reads the two ends of a range, which belong to it.
func (p *parser) between(left operand) (node, error) {
	low, err := p.relation(left, atLeast)
	if err != nil {
		return nil, err
	}
	if !p.Is(expr.Keyword, "and") {
		return nil, p.Wrong(p.Token.At, "between needs two ends: between 1 and 5")
	}
	if err := p.Next(); err != nil {
		return nil, err
	}
	high, err := p.relation(left, atMost)
	if err != nil {
		return nil, err
	}
	return &all{[]node{low, high}}, nil
}

// in reads a list of numbers and texts.
func (p *parser) in(left operand) (node, error) {
	opened := p.Token.At
	if p.Token.Kind != expr.Open {
		return nil, p.Wrong(opened, `a list is missing here: in (1, 2) or in ("a", "b")`)
	}
	n := &member{left: left}
	for p.Token.Kind != expr.Closing {
		if err := p.Next(); err != nil {
			return nil, err
		}
		if err := p.element(n); err != nil {
			return nil, err
		}
		switch p.Token.Kind {
		case expr.Comma, expr.Closing:
		case expr.End:
			return nil, p.Wrong(opened, "the parenthesis is never closed")
		default:
			return nil, p.Wrong(p.Token.At, "a comma is missing before this")
		}
	}
	return n, p.Next()
}

// element reads an element of a list.
func (p *parser) element(n *member) error {
	t := p.Token
	switch t.Kind {
	case expr.Single, expr.Double:
		n.texts = append(n.texts, t.Text)
		n.list = append(n.list, string(expr.AppendQuoted(nil, t.Text, `"`)))
		return p.Next()
	case expr.Digits, expr.Sign, expr.Open:
		e, err := p.Expr(p.scope)
		if err != nil {
			return err
		}
		number, ok := e.Constant()
		if !ok {
			return p.Wrong(t.At, "a list has numbers and texts only")
		}
		n.numbers = append(n.numbers, number)
		n.list = append(n.list, e.String())
		return nil
	}
	return p.Wrong(t.At, `a number or a "text" is missing here`)
}

// is reads the rest of "is null" and "is not null".
func (p *parser) is(left operand) (node, error) {
	negated := p.Is(expr.Keyword, "not")
	if negated {
		if err := p.Next(); err != nil {
			return nil, err
		}
	}
	if !p.Is(expr.Word, "null") {
		return nil, p.Wrong(p.Token.At, "is can be followed by null or not null only; compare with =")
	}
	var n node = &null{left}
	if negated {
		n = &not{n}
	}
	return n, p.Next()
}

// match reads a regular expression.
func (p *parser) match(left operand, sign string) (node, error) {
	t := p.Token
	if t.Kind != expr.Single && t.Kind != expr.Double {
		return nil, p.Wrong(t.At, "a regular expression in single quotes is missing here")
	}
	text := t.Text
	if strings.HasSuffix(sign, "*") {
		text = "(?i)" + text
	}
	pattern, err := key.CompileTest(text)
	if err != nil {
		// Doubled quotes in the expression shift the place of the error. Then point to its start.
		at := t.At
		if p.Text[at+1:p.At-1] == t.Text {
			at += 1 + max(0, key.Place(text, err)-len(text)+len(t.Text))
		}
		return nil, p.Wrong(at, "%v", err)
	}
	p.workerBytes += pattern.FinderBytes()
	return &match{left, sign, t.Text, sign[0] == '!', pattern}, p.Next()
}

// like reads a pattern, of like or ilike.
func (p *parser) like(left operand, word string) (node, error) {
	t := p.Token
	if t.Kind != expr.Single && t.Kind != expr.Double {
		return nil, p.Wrong(t.At, "a pattern in quotes is missing here: %% stands for any text, _ for one character")
	}
	pattern, err := key.CompileTest(likeExpression(t.Text, word == "ilike"))
	if err != nil { // only an expression that is too large
		return nil, p.Wrong(t.At, "%v", err)
	}
	p.workerBytes += pattern.FinderBytes()
	return &match{left, word, t.Text, false, pattern}, p.Next()
}

// left reads the left side of a comparison.
func (p *parser) left() (operand, error) {
	t := p.Token
	switch t.Kind {
	case expr.Single, expr.Double:
		return operand{}, p.Wrong(t.At,
			"a comparison has a text on the right; on the left, write a column with a special name as `%s`",
			strings.ReplaceAll(t.Text, "`", "``"))
	case expr.End, expr.Keyword, expr.Closing, expr.Comma:
		return operand{}, p.Wrong(t.At, "a column is missing here: a name, or $ and a number from 1")
	}
	e, err := p.Expr(p.scope)
	if err != nil {
		return operand{}, err
	}
	if text, ok := e.Literal(); ok && expr.IsDigits(text) {
		column, err := p.scope.Resolve(text, false)
		if err != nil {
			return operand{}, p.Wrong(t.At, "%v", err)
		}
		p.columns = append(p.columns, column)
		return operand{column: column, slice: key.Whole(), text: "$" + text}, nil
	}
	if len(e.Columns()) == 0 {
		return operand{}, p.Wrong(t.At, "a comparison has a column on the left and a number on the right; column 5 is $5")
	}
	return p.operand(e)
}

// operand returns the operand for an expression.
func (p *parser) operand(e *expr.Expr) (operand, error) {
	o := operand{slice: key.Whole(), text: e.String()}
	if field, ok := e.Operand(); ok {
		o.column, o.slice = field.Column, field.Slice
	} else {
		o.column, o.computed = p.scope.Derive(e), true
	}
	p.columns = append(p.columns, o.column)
	return o, nil
}

// likeExpression returns the regular expression of a LIKE pattern, which describes the whole field:
// % stands for any text, _ for any character. A backslash before one of them, or before a backslash,
// takes away its meaning.
func likeExpression(pattern string, fold bool) string {
	var b strings.Builder
	escaped, anyLast := false, false
	for _, c := range pattern {
		anyLast = c == '%' && !escaped
		switch {
		case escaped && !strings.ContainsRune(`%_\`, c):
			b.WriteString(`\\` + regexp.QuoteMeta(string(c)))
		case c == '\\' && !escaped:
			escaped = true
			continue
		case anyLast:
			b.WriteString(".*")
		case c == '_' && !escaped:
			b.WriteByte('.')
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
		escaped = false
	}
	if escaped {
		b.WriteString(`\\`)
	}
	// A search finds any text before and after by itself, and faster.
	expression, ended := `\A`+b.String(), `\z`
	if strings.HasPrefix(pattern, "%") {
		expression = strings.TrimPrefix(b.String(), ".*")
	}
	if anyLast && !escaped {
		expression, ended = strings.TrimSuffix(expression, ".*"), ""
	}
	if fold {
		return "(?is)" + expression + ended
	}
	return "(?s)" + expression + ended
}
