package sql

import (
	"errors"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// built is a text that is made of parts of a statement, and knows where each is there.
type built struct {
	text   string
	pieces []piece
	made   []byte // of text
}

// piece is a part of a statement in a built text.
type piece struct{ from, length, at int }

// build puts a text together, of strings and parts.
func (c *compiler) build(parts ...any) string {
	b := new(built)
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			b.made = append(b.made, p...)
		case part:
			c.add(b, p, len(c.items))
		}
	}
	b.text, b.made = string(b.made), nil
	c.q.built = append(c.q.built, b)
	return b.text
}

// add adds an expression to a text. Names lose the name of the only source before them. After the name of a source,
// double quotes become backquotes. After the name of an item comes what it means if no column has that name: names are
// those of so many first items.
func (c *compiler) add(b *built, p part, items int) {
	prefix := c.From.alias + "."
	copied := 0
	keep := func(to int) {
		b.pieces = append(b.pieces, piece{len(b.made), to - copied, p.at + copied})
		b.made = append(b.made, p.text[copied:to]...)
	}
	before := -1 // where a name with a point after it ends
	var last expr.Token
	for l := (expr.Lexer{Text: p.text}); next(&l) == nil && l.Token.Kind != expr.End; last = l.Token {
		t, of := l.Token, -1
		if t.At != before && c.q.meant <= meantMax {
			of = c.meant(t, last, l, items)
		}
		switch {
		case of >= 0:
			c.q.meant++
			keep(t.At)
			b.made = append(b.made, '(')
			copied = t.At
			keep(l.At)
			b.made = append(b.made, " "+expr.OrElse+" ("...)
			c.add(b, c.items[of].part, of)
			b.made = append(b.made, "))"...)
			copied = l.At
		case t.Kind == expr.Double && t.At == before:
			keep(t.At)
			b.made = expr.AppendQuoted(b.made, t.Text, "`")
			copied = l.At
		case t.Kind != expr.Word:
		case c.Joins == nil && len(t.Text) >= len(prefix) && strings.EqualFold(t.Text[:len(prefix)], prefix):
			keep(t.At)
			copied = t.At + len(prefix)
		}
		if before = -1; t.Kind == expr.Word && strings.HasSuffix(t.Text, ".") {
			before = l.At
		}
	}
	keep(len(p.text))
}

// meantMax is how many names of items a statement may have, those in what they stand for included: each may double the
// text of the one before.
const meantMax = 2000

// meant returns which of the first items a name means if no column has it, -1 for none.
func (c *compiler) meant(t, before expr.Token, after expr.Lexer, items int) int {
	if !refers(t, before, after) {
		return -1
	}
	for _, i := range c.computed {
		if i < items && strings.EqualFold(c.items[i].name, t.Text) {
			return i
		}
	}
	return -1
}

// refers reports whether a token is a name, and not a function, a type, a unit or a word of the language.
func refers(t, before expr.Token, after expr.Lexer) bool {
	if t.Kind != expr.Word && t.Kind != expr.Double && t.Kind != expr.Back || before.Text == "::" ||
		before.Kind == expr.Digits || before.Kind == expr.Single || isOneOf(before.Text, "as") || next(&after) != nil {
		return false
	}
	switch n := after.Token; n.Kind {
	case expr.Open, expr.Single, expr.Digits:
		return false
	case expr.Word, expr.Sign:
		return n.Text != "[" && !(before.Kind == expr.Open && isOneOf(n.Text, "from"))
	}
	return true
}

// name notes which items can be meant by their names: those of records that have a name of their own. If their texts
// have that name, there is such a column.
func (c *compiler) name() {
	c.items = slices.Clone(c.items)
	for n := range c.items {
		i := &c.items[n]
		i.computed = i.named && !isAggregate(i.text) && isName(token{Token: expr.Token{Kind: expr.Word, Text: i.name}})
		var last expr.Token
		for l := (expr.Lexer{Text: i.text}); i.computed && next(&l) == nil && l.Token.Kind != expr.End; last = l.Token {
			i.computed = !strings.EqualFold(l.Token.Text, i.name) || !refers(l.Token, last, l)
		}
		if i.computed {
			c.computed = append(c.computed, n)
		}
	}
}

// named reports whether a name may be that of an item.
func (c *compiler) named(name string) bool {
	return slices.ContainsFunc(c.computed, func(i int) bool { return strings.EqualFold(c.items[i].name, name) })
}

// Place returns the error about a text of the query as one about the statement, of which it shows the line.
func (q *Query) Place(err error) error {
	var wrong *key.SyntaxError
	if !errors.As(err, &wrong) {
		return err
	}
	for _, b := range q.built {
		if b.text != wrong.Text {
			continue
		}
		at := 0
		for i, p := range b.pieces {
			if i == 0 || wrong.At >= p.from {
				at = p.at + max(0, min(wrong.At-p.from, p.length))
			}
		}
		return Line(&key.SyntaxError{Reason: wrong.Reason, Text: q.text, At: min(at, len(q.text))})
	}
	return err
}

// Line returns the error about a statement with the line that it is about only.
func Line(err error) error {
	var wrong *key.SyntaxError
	if !errors.As(err, &wrong) {
		return err
	}
	begin := strings.LastIndexByte(wrong.Text[:wrong.At], '\n') + 1
	end := len(wrong.Text)
	if i := strings.IndexByte(wrong.Text[wrong.At:], '\n'); i >= 0 {
		end = wrong.At + i
	}
	return &key.SyntaxError{Reason: wrong.Reason, Text: wrong.Text[begin:end], At: wrong.At - begin}
}
