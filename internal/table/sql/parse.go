package sql

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// Statement is a statement that was parsed. Its expressions are parts of its text.
type Statement struct {
	Text    string
	Explain bool // explain SELECT …: the plan, and no answer
	Analyze bool // explain analyze SELECT …: the receipt in full
	From    Source
	Joins   []Join
	Union   []*Statement // whose rows are those of this one, which has nothing else; nil for a statement of its own

	exchanged bool // the first two sources, of a right join
	distinct  bool
	items     []item
	where     []part // which all must be true
	groups    []part
	byAll     bool // group by all
	having    part
	order     []ordered
	limit     *int64
	offset    int64
	with      Views
}

// part is a part of a statement. An empty one is not there.
type part struct {
	text string
	at   int
}

// item is an item of the select list.
type item struct {
	part
	name  string // as it is printed
	named bool   // by the statement

	computed bool     // the name stands for the text where no column has it
	star     bool     // all columns
	of       string   // the source whose columns are meant; empty for all
	but      []string // of all columns, those that are left out
}

func (i item) isAggregate() bool { return isAggregate(i.text) }

// ordered is an item of order by.
type ordered struct {
	part
	turn string // " desc", " nulls first" and so on, as it is written
}

// token is a token and where it ends.
type token struct {
	expr.Token
	end int
}

// parser reads a statement token by token.
type parser struct {
	text   string
	tokens []token // the last one is an End
	at     int     // the next of them
	named  bool    // an expression may be followed by its name
	with   Views   // with those of the statement
}

// Views are the statements that "create view" named, by their names in lower case.
type Views map[string]*Statement

// Parse reads a statement. It is nil if it only names a view, which later ones then know. Errors are of type
// *key.SyntaxError.
func (v Views) Parse(text string) (*Statement, error) {
	p := parser{text: text, with: maps.Clone(v)}
	l := expr.Lexer{Text: text}
	for l.Token.Kind != expr.End || len(p.tokens) == 0 {
		if err := next(&l); err != nil {
			return nil, err
		}
		p.tokens = append(p.tokens, token{l.Token, l.At})
	}
	s, view := new(Statement), ""
	if p.is("create") {
		var err error
		if view, err = p.view(); err != nil {
			return nil, err
		}
	} else if s.Explain = p.take("explain"); s.Explain {
		s.Analyze = p.take("analyze")
		s.Explain = !s.Analyze
	}
	if err := p.withs(); err != nil {
		return nil, err
	}
	if err := p.statement(s); err != nil {
		return nil, err
	}
	if !p.ended() {
		return nil, p.unexpected()
	}
	if view == "" {
		return s, nil
	}
	if _, err := s.Compile(); err != nil {
		return nil, err
	}
	v[view] = s
	return nil, nil
}

// view reads "create view NAME as".
func (p *parser) view() (name string, err error) {
	at := p.next().At
	p.at++
	if p.take("or", "replace"); !p.take("view") && !p.take("temp", "view") && !p.take("temporary", "view") {
		return "", p.wrong(at, "a statement only reads; create view NAME as select … names one for those after it")
	}
	t := p.next()
	if !isName(*t) {
		return "", p.wrong(t.At, "a name is missing after view: create view recent as select …")
	}
	p.at++
	if !p.take("as") {
		return "", p.wrong(p.next().At, "as is missing after the name: create view recent as select …")
	}
	return strings.ToLower(t.Text), nil
}

// next reads the next token. Brackets, which are around lists of files and slices of columns, are signs.
func next(l *expr.Lexer) error {
	at := l.At + len(l.Text[l.At:]) - len(strings.TrimLeft(l.Text[l.At:], " \t\r\n"))
	if at < len(l.Text) && strings.IndexByte("[]:", l.Text[at]) >= 0 && !strings.HasPrefix(l.Text[at:], "::") {
		l.Token, l.At = expr.Token{Kind: expr.Sign, Text: l.Text[at : at+1], At: at}, at+1
		return nil
	}
	return l.Next()
}

// next returns the next token; at the end it is the End.
func (p *parser) next() *token { return &p.tokens[min(p.at, len(p.tokens)-1)] }

func (p *parser) ended() bool { return p.next().Kind == expr.End }

// is reports whether these words come next.
func (p *parser) is(words ...string) bool {
	for i, w := range words {
		at := min(p.at+i, len(p.tokens)-1)
		t := &p.tokens[at]
		if t.Kind != expr.Word && t.Kind != expr.Keyword || !strings.EqualFold(t.Text, w) {
			return false
		}
	}
	return true
}

// take reads words if they come next.
func (p *parser) take(words ...string) bool {
	found := p.is(words...)
	if found {
		p.at += len(words)
	}
	return found
}

func (p *parser) wrong(at int, reason string) error {
	return &key.SyntaxError{Reason: reason, Text: p.text, At: at}
}

// withs reads "with NAME as (SELECT …), …".
func (p *parser) withs() error {
	if !p.take("with") {
		return nil
	}
	if p.is("recursive") {
		return p.wrong(p.next().At, "statements that ask themselves are not there")
	}
	for {
		name := p.next()
		if name.Kind != expr.Word && name.Kind != expr.Double {
			return p.wrong(name.At, "a name is missing after with: with recent as (select …) select … from recent")
		}
		p.at++
		if !p.take("as") {
			return p.wrong(p.next().At, "as is missing after the name: with recent as (select …)")
		}
		sub, err := p.subquery()
		if err != nil {
			return err
		}
		p.with[strings.ToLower(name.Text)] = sub
		if p.next().Kind != expr.Comma {
			return nil
		}
		p.at++
	}
}

// subquery reads a statement in parentheses.
func (p *parser) subquery() (*Statement, error) {
	open := p.next()
	if open.Kind != expr.Open {
		return nil, p.wrong(open.At, "a statement in parentheses is missing here")
	}
	p.at++
	s := new(Statement)
	if err := p.statement(s); err != nil {
		return nil, err
	}
	if p.next().Kind != expr.Closing {
		if p.ended() {
			return nil, p.wrong(open.At, "the parenthesis is never closed")
		}
		return nil, p.unexpected()
	}
	p.at++
	return s, nil
}

// clauses are the words that begin a clause, and end the one before.
var clauses = []string{"select", "from", "where", "group", "having", "order", "limit", "offset", "union", "intersect",
	"except", "window", "qualify", "on", "using", "join", "inner", "left", "right", "full", "cross", "natural", "semi",
	"anti",
	"asof", "positional", "lateral", "sample", "tablesample", "fetch", "for"}

// endsClause reports whether the next token, which is not in parentheses, ends a clause. "is distinct from" goes on,
// and so do functions called left and right.
func (p *parser) endsClause() bool {
	t := p.next()
	if t.Kind != expr.Word || !slices.Contains(clauses, strings.ToLower(t.Text)) {
		return false
	}
	if p.at+1 < len(p.tokens) && p.tokens[p.at+1].Kind == expr.Open && isOneOf(t.Text, "left", "right", "except") &&
		(!isOneOf(t.Text, "except") || p.at > 0 && p.tokens[p.at-1].Text == "*") ||
		isOneOf(t.Text, "group") && p.at > 0 && isOneOf(p.tokens[p.at-1].Text, "within") {
		return false
	}
	return !(strings.EqualFold(t.Text, "from") && p.at > 0 && strings.EqualFold(p.tokens[p.at-1].Text, "distinct") &&
		p.at > 1 && isOneOf(p.tokens[p.at-2].Text, "is", "not"))
}

// expression reads tokens up to a comma, a closing parenthesis or the end of the clause, and perhaps other words.
func (p *parser) expression(what string, until ...string) (part, error) {
	from := p.next()
	depth := 0
	for end := from.At; ; p.at++ {
		t := p.next()
		over := t.Kind == expr.End || depth == 0 && (t.Kind == expr.Comma || t.Kind == expr.Closing || p.endsClause() ||
			t.Kind == expr.Word && isOneOf(t.Text, until...))
		if over {
			if depth > 0 {
				return part{}, p.wrong(from.At, "a parenthesis is never closed")
			}
			if end == from.At {
				return part{}, p.wrong(t.At, what+" is missing here")
			}
			return part{p.text[from.At:end], from.At}, nil
		}
		if depth == 0 && end > from.At && p.beginsOther() && (!p.named || p.operator()) {
			return part{}, p.unexpected()
		}
		switch t.Kind {
		case expr.Open:
			depth++
		case expr.Closing:
			depth--
		}
		end = t.end
	}
}

// beginsOther reports whether the next token cannot go on with an expression, which the token before ends.
func (p *parser) beginsOther() bool {
	t, before := p.next(), p.tokens[p.at-1]
	if !endsOperand(before) || isQualifier(before) && before.end == t.At ||
		p.at > 1 && isOneOf(p.tokens[p.at-2].Text, "interval") {
		return false
	}
	switch t.Kind {
	case expr.Word:
		return !isOneOf(t.Text, "is", "in", "like", "ilike", "between", "distinct", "from", "when", "then", "else", "end",
			"filter", "within", "group", "escape", "null", "true", "false")
	case expr.Double, expr.Back, expr.Digits, expr.Single, expr.Dollar:
		return true
	}
	return false
}

// operator reports whether the next token, where the name of an item may be, is an operator that is not there.
func (p *parser) operator() bool {
	after := p.tokens[min(p.at+1, len(p.tokens)-1)]
	return missing[strings.ToLower(p.next().Text)] != "" && (after.Kind == expr.Single || after.Kind == expr.Open ||
		after.Kind == expr.Word && isOneOf(after.Text, "select", "from", "to"))
}

// isQualifier reports whether a token is the name of a source and a point, which a name in quotes may follow.
func isQualifier(t token) bool { return t.Kind == expr.Word && strings.HasSuffix(t.Text, ".") }

func isOneOf(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(text, w) })
}

// list reads expressions with commas between them.
func (p *parser) list(what string, each func(part) error, until ...string) error {
	for {
		one, err := p.expression(what, until...)
		if err == nil {
			err = each(one)
		}
		if err != nil || p.next().Kind != expr.Comma {
			return err
		}
		if p.at++; p.named && p.is("from") { // a comma after the last item
			return nil
		}
	}
}

// number reads a number of rows.
func (p *parser) number(clause string) (int64, error) {
	t := p.next()
	n, err := strconv.ParseInt(t.Text, 10, 64)
	if t.Kind != expr.Digits || err != nil || n < 0 {
		return 0, p.wrong(t.At, "a number of rows is missing after "+clause)
	}
	p.at++
	return n, nil
}

// isCall reports whether an expression is the call of an aggregate, perhaps with a filter, and nothing else.
func isCall(text string) bool {
	var tokens []expr.Token
	for l := (expr.Lexer{Text: text}); next(&l) == nil && l.Token.Kind != expr.End; {
		tokens = append(tokens, l.Token)
	}
	if len(tokens) < 3 || tokens[1].Kind != expr.Open || !agg.IsFunction(tokens[0].Text) {
		return false
	}
	end := closingOf(tokens, 1)
	if end+2 < len(tokens) && strings.EqualFold(tokens[end+1].Text, "filter") && tokens[end+2].Kind == expr.Open {
		end = closingOf(tokens, end+2)
	}
	return end == len(tokens)-1
}

// closingOf returns the index of the parenthesis that closes the one at an index; the last one if none does.
func closingOf(tokens []expr.Token, open int) int {
	depth := 0
	for i := open; i < len(tokens); i++ {
		switch tokens[i].Kind {
		case expr.Open:
			depth++
		case expr.Closing:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(tokens) - 1
}

// isAggregate reports whether an expression calls an aggregate.
func isAggregate(text string) bool {
	l := expr.Lexer{Text: text}
	for name := ""; next(&l) == nil && l.Token.Kind != expr.End; {
		if l.Token.Kind == expr.Open && agg.IsFunction(name) {
			return true
		}
		if name = ""; l.Token.Kind == expr.Word {
			name = l.Token.Text
		}
	}
	return false
}
