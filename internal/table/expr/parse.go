package expr

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// Scope gives the names in a text their meaning.
type Scope struct {
	// Resolve returns the column of a name. An unquoted name of digits only is a column number.
	Resolve key.Resolve

	// Derive returns the column that will hold the values of an expression.
	Derive func(*Expr) (column int)

	// Extract returns the column that will hold what a regular expression finds in a column: its group of that
	// number, 0 for the whole match. Without it, the expression finds it itself.
	Extract func(column int, pattern string, group int) (extracted int, err error)

	// Call returns the column that is written like the call of a function at text[at], for example an aggregate, and
	// where it ends. ok is false if it means nothing else. Call may be nil.
	Call func(text string, at int) (column, end int, ok bool, err error)

	// QuotedNames: double quotes are around names. Otherwise they are around texts, as single ones are.
	QuotedNames bool

	// Filter: the text is a filter of the command line. There, a bare number on the left of a comparison is a column,
	// and a column alone is no condition.
	Filter bool

	// SQL: parts of times are numbers, without zeros before them.
	SQL bool

	// AnyName: Resolve takes any name, so it does not tell whether there is such a column.
	AnyName bool
}

// depthMax limits how deep parentheses, signs and calls may be nested.
const depthMax = 1000

// Parse reads the expression that begins at text[at], and returns where it ends. Errors are of type
// *key.SyntaxError: the reason, the text, and a caret under the place.
//
//	condition  = conjunction { "or" conjunction }
//	conjunction= negation { "and" negation }
//	negation   = "not" negation | comparison
//	comparison = text [ ( "=" | "!=" | "<" | … ) text
//	           | [ "not" ] "between" text "and" text
//	           | [ "not" ] "in" "(" text { "," text } ")"
//	           | ( [ "not" ] ( "like" | "ilike" ) | "~" | "!~" | "~*" | "!~*" ) pattern
//	           | "is" [ "not" ] ( "null" | "true" | "false" | "distinct" "from" text ) ]
//	text       = sum { "||" sum }
//	sum        = product { ( "+" | "-" ) product }
//	product    = operand { ( "*" | "/" | "%" ) operand }
//	operand    = ( "+" | "-" ) operand | primary { "::" type }
//	primary    = number | 'text' | column | call | case | "(" condition ")"
//	column     = ( name | `name` | $5 ) [ "[" from ":" to "]" | "?:" "(" condition ")" ]
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

// ParseFilter reads a text that is one condition.
func ParseFilter(text string, scope Scope) (*Expr, error) {
	p := parser{Lexer: &Lexer{Text: text}, Scope: scope}
	if err := p.Next(); err != nil {
		return nil, err
	}
	root, err := p.condition(0)
	if err != nil {
		return nil, err
	}
	if err := p.mustHold(root); err != nil {
		return nil, err
	}
	switch t := p.Token; {
	case t.Kind == End:
		return Of(root), nil
	case t.Kind == Closing:
		return nil, p.Wrong(t.At, "no parenthesis is open that this could close")
	case t.Kind == Sign && endsWithTexts(root):
		return nil, p.Wrong(strings.LastIndex(text[:t.At], "||"), "|| puts texts together here; or is written or")
	}
	return nil, p.Wrong(p.Token.At, `"and" or "or" is missing before this`)
}

// endsWithTexts reports whether the right side of a comparison is a ||.
func endsWithTexts(n Node) bool {
	if j, ok := n.(*Junction); ok {
		n = j.Parts[len(j.Parts)-1]
	}
	c, ok := n.(*Compare)
	if !ok {
		return false
	}
	for _, side := range c.parts() {
		if o, ok := side.(*operation); ok && o.sign == '|' {
			return true
		}
	}
	return false
}

// Expr reads an expression, of which the next token is the first one.
func (l *Lexer) Expr(scope Scope) (*Expr, error) {
	p := parser{Lexer: l, Scope: scope}
	root, err := p.condition(0)
	if err != nil {
		return nil, err
	}
	return Of(root), nil
}

type parser struct {
	*Lexer
	Scope
}

// word reads a keyword or a word if it comes next.
func (p *parser) word(text string) (found bool, err error) {
	if found = p.Is(Word, text) || p.Is(Keyword, text); found {
		err = p.Next()
	}
	return found, err
}

func (p *parser) condition(depth int) (Node, error) {
	return p.junction(depth, "or", func(depth int) (Node, error) { return p.junction(depth, "and", p.negation) })
}

// junction reads conditions with a keyword between them.
func (p *parser) junction(depth int, word string, part func(int) (Node, error)) (Node, error) {
	n, err := part(depth)
	if err != nil || !p.Is(Keyword, word) {
		return n, err
	}
	j := &Junction{All: word == "and"}
	for {
		if err := p.mustHold(n); err != nil {
			return nil, err
		}
		if same, ok := n.(*Junction); ok && same.All == j.All {
			j.Parts = append(j.Parts, same.Parts...)
		} else {
			j.Parts = append(j.Parts, n)
		}
		if !p.Is(Keyword, word) {
			return j, nil
		}
		if err := p.Next(); err != nil {
			return nil, err
		}
		if n, err = part(depth); err != nil {
			return nil, err
		}
	}
}

const operatorMissing = "an operator is missing here: = != < <= > >= ~ !~ in between like is"

// mustHold returns an error if a node that was just read is no condition, where only conditions are meant.
func (p *parser) mustHold(n Node) error {
	if p.Filter && !isCondition(n) {
		switch n.(type) {
		case *call, *choice, *cast:
			return nil
		}
		return p.Wrong(p.Token.At, operatorMissing)
	}
	return nil
}

func (p *parser) negation(depth int) (Node, error) {
	if !p.Is(Keyword, "not") {
		return p.comparison(depth)
	}
	if depth > depthMax {
		return nil, p.tooDeep()
	}
	if err := p.Next(); err != nil {
		return nil, err
	}
	n, err := p.negation(depth + 1)
	if err == nil {
		err = p.mustHold(n)
	}
	return &Not{n}, err
}

func (p *parser) tooDeep() error {
	return p.Wrong(p.Token.At, "this is nested deeper than %d", depthMax)
}

// words are the operators that are words. They are also allowed as names of columns.
var words = []string{"between", "in", "is", "like", "ilike"}

func (p *parser) comparison(depth int) (Node, error) {
	begin := p.Token
	left, err := p.text(depth)
	if err != nil {
		return nil, err
	}
	t := p.Token
	negated := t.Kind == Keyword && t.Text == "not"
	if negated {
		if err := p.Next(); err != nil {
			return nil, err
		}
		t = p.Token
	}
	word := strings.ToLower(t.Text)
	isWord := t.Kind == Word && slices.Contains(words, word)
	switch {
	case negated && (!isWord || word == "is"):
		return nil, p.Wrong(t.At, "in, between, like or ilike is missing after not")
	case !isWord && (t.Kind != Sign || !strings.Contains(t.Text, "~") && !slices.Contains(Signs[:], t.Text)):
		return left, nil
	}
	if left, err = p.leftSide(left, begin); err != nil {
		return nil, err
	}
	if err := p.Next(); err != nil {
		return nil, err
	}
	var n Node
	switch {
	case !isWord && strings.Contains(t.Text, "~"):
		return p.match(left, t.Text)
	case !isWord:
		return p.relation(left, Relation(slices.Index(Signs[:], t.Text)), depth)
	case word == "between":
		n, err = p.between(left, depth)
	case word == "in":
		n, err = p.in(left, depth)
	case word == "is":
		return p.is(left, depth)
	default:
		n, err = p.like(left, word)
	}
	if err == nil && negated {
		n = &Not{n}
	}
	return n, err
}

// leftSide returns what the left side of a comparison means in a filter.
func (p *parser) leftSide(left Node, begin Token) (Node, error) {
	if !p.Filter {
		return left, nil
	}
	switch n := left.(type) {
	case *Literal:
		if IsDigits(n.Text) {
			return p.numbered(n, begin.At)
		}
	case *Constant:
		if begin.Kind == Double {
			return nil, p.Wrong(begin.At, "a comparison has a text on the right; on the left, write a column with a special "+
				"name as `%s`", strings.ReplaceAll(begin.Text, "`", "``"))
		}
	}
	return left, nil
}

// numbered returns the column that a bare number is.
func (p *parser) numbered(l *Literal, at int) (Node, error) {
	column, err := p.Resolve(l.Text, false)
	if err != nil {
		return nil, p.Wrong(at, "%v", err)
	}
	return &Field{Operand{Column: column, Slice: key.Whole(), Name: l.Text}}, nil
}

// side reads the right side of a comparison.
func (p *parser) side(depth int) (Node, error) {
	t := p.Token
	switch t.Kind {
	case End, Keyword, Closing, Comma:
		return nil, p.Wrong(t.At, `a number, a "text" or a column is missing here`)
	}
	n, err := p.text(depth)
	if err != nil || !isConstant(n) || !p.Filter {
		return n, err
	}
	if n.eval(nil).IsNull() {
		if _, written := n.(*Constant); written {
			return nil, p.Wrong(t.At, "nothing equals null: write is null, or is not null")
		}
		return nil, p.Wrong(t.At, "this is not a number, nor a column")
	}
	return n, nil
}

// relation reads the right side of = and the like.
func (p *parser) relation(left Node, rel Relation, depth int) (Node, error) {
	begin := p.Token.At
	right, err := p.side(depth)
	if err != nil {
		return nil, err
	}
	return p.related(rel, left, right, begin)
}

// related returns a comparison. Beside true or false, a value is what it is as a condition.
func (p *parser) related(rel Relation, left, right Node, at int) (Node, error) {
	if p.Filter && isConstant(left) && isConstant(right) {
		return nil, p.Wrong(at, "a comparison needs a column; column 5 is written $5")
	}
	if isTruth(right) && !isCondition(left) {
		left = Truth(left)
	} else if isTruth(left) && !isCondition(right) {
		right = Truth(right)
	}
	return compare(rel, left, right), nil
}

// isTruth reports whether a node is true or false.
func isTruth(n Node) bool {
	c, ok := n.(*Constant)
	return ok && c.kind == Word && !c.value.IsNull()
}

// between reads the two ends of a range, which belong to it.
func (p *parser) between(left Node, depth int) (Node, error) {
	low, err := p.side(depth)
	if err != nil {
		return nil, err
	}
	if !p.Is(Keyword, "and") {
		return nil, p.Wrong(p.Token.At, "between needs two ends: between 1 and 5")
	}
	if err := p.Next(); err != nil {
		return nil, err
	}
	high, err := p.side(depth)
	if err != nil {
		return nil, err
	}
	from, to := compare(AtLeast, left, low), compare(AtMost, left, high)
	return &Between{Of: left, low: low, high: high, AtLeast: from, AtMost: to}, nil
}

// in reads a list of values.
func (p *parser) in(left Node, depth int) (Node, error) {
	opened := p.Token.At
	if p.Token.Kind != Open {
		return nil, p.Wrong(opened, `a list is missing here: in (1, 2) or in ("a", "b")`)
	}
	n := &Member{Of: left}
	for p.Token.Kind != Closing {
		if err := p.Next(); err != nil {
			return nil, err
		}
		t := p.Token
		if t.Kind == Closing || t.Kind == Comma || t.Kind == End && len(n.List) > 0 {
			return nil, p.Wrong(t.At, `a number or a "text" is missing here`)
		}
		value, err := p.text(depth)
		if err != nil {
			return nil, err
		}
		n.List = append(n.List, value)
		n.each = append(n.each, compare(Equal, left, value))
		switch p.Token.Kind {
		case Comma, Closing:
		case End:
			return nil, p.Wrong(opened, "the parenthesis is never closed")
		default:
			return nil, p.Wrong(p.Token.At, "a comma is missing before this")
		}
	}
	return n, p.Next()
}

// is reads the rest of "is null", "is true" and "is distinct from".
func (p *parser) is(left Node, depth int) (n Node, err error) {
	negated, err := p.word("not")
	if err != nil {
		return nil, err
	}
	at := p.Token
	switch found, err := p.word("null"); {
	case err != nil:
		return nil, err
	case found:
		n = &Null{left}
	case p.Is(Word, "true") || p.Is(Word, "false"):
		if !isCondition(left) {
			left = Truth(left)
		}
		truth := &Constant{value.OfBool(p.Is(Word, "true")), Word}
		n, negated = &distinct{left, truth}, !negated
		if err := p.Next(); err != nil {
			return nil, err
		}
	case p.Is(Word, "distinct"):
		if err := p.Next(); err != nil {
			return nil, err
		}
		if found, err := p.word("from"); !found || err != nil {
			return nil, p.Wrong(p.Token.At, "from is missing after distinct")
		}
		right, err := p.text(depth)
		if err != nil {
			return nil, err
		}
		n = &distinct{left, right}
	default:
		return nil, p.Wrong(at.At, "is can be followed by null or not null only; compare with =")
	}
	if negated {
		n = &Not{n}
	}
	return n, nil
}

// isText reports whether the next token is a text.
func (p *parser) isText() bool {
	return p.Token.Kind == Single || p.Token.Kind == Double && !p.QuotedNames
}

// match reads a regular expression.
func (p *parser) match(left Node, sign string) (Node, error) {
	t := p.Token
	if !p.isText() {
		return nil, p.Wrong(t.At, "a regular expression in single quotes is missing here")
	}
	text := t.Text
	if strings.HasSuffix(sign, "*") {
		text = "(?i)" + text
	}
	re, err := regexp.Compile(text)
	if err != nil {
		// Doubled quotes in the expression shift the place of the error. Then point to its start.
		at := t.At
		if p.Text[at+1:p.At-1] == t.Text {
			at += 1 + max(0, key.Place(text, err)-len(text)+len(t.Text))
		}
		return nil, p.Wrong(at, "%v", err)
	}
	var n Node = &Match{Of: left, Sign: strings.TrimPrefix(sign, "!"), Text: t.Text, Pattern: text, re: re}
	if sign[0] == '!' {
		n = &Not{n}
	}
	return n, p.Next()
}

// like reads a pattern, of like or ilike.
func (p *parser) like(left Node, word string) (Node, error) {
	t := p.Token
	if !p.isText() {
		return nil, p.Wrong(t.At, "a pattern in quotes is missing here: %% stands for any text, _ for one character")
	}
	if err := p.Next(); err != nil {
		return nil, err
	}
	text, err := p.escaped(t.Text)
	if err != nil {
		return nil, err
	}
	pattern := LikePattern(text, word == "ilike")
	re, err := regexp.Compile(pattern)
	if err != nil { // only an expression that is too large
		return nil, p.Wrong(t.At, "%v", err)
	}
	return &Match{Of: left, Sign: word, Text: text, Pattern: pattern, re: re}, nil
}

// escaped reads "escape '!'" after a pattern, if it comes next, and returns the pattern with backslashes in its place.
func (p *parser) escaped(pattern string) (string, error) {
	found, err := p.word("escape")
	if err != nil || !found {
		return pattern, err
	}
	t := p.Token
	if !p.isText() || utf8.RuneCountInString(t.Text) != 1 {
		return "", p.Wrong(t.At, "one character in single quotes is missing here: like '100!%%' escape '!'")
	}
	if t.Text != `\` {
		pattern = strings.NewReplacer(t.Text+t.Text, t.Text, t.Text, `\`, `\`, `\\`).Replace(pattern)
	}
	return pattern, p.Next()
}

// Wrong returns an error about the byte at an offset of the text.
func (l *Lexer) Wrong(at int, format string, args ...any) error {
	return &key.SyntaxError{Reason: fmt.Sprintf(format, args...), Text: l.Text, At: at}
}
