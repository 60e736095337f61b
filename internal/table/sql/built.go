package sql

import (
	"errors"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// built is a text that is made of parts of a statement, and knows where each is there.
type built struct {
	text   string
	pieces []piece
}

// piece is a part of a statement in a built text.
type piece struct{ from, length, at int }

// build puts a text together, of strings and parts.
func (c *compiler) build(parts ...any) string {
	b := new(built)
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			b.text += p
		case part:
			c.add(b, p)
		}
	}
	c.q.built = append(c.q.built, b)
	return b.text
}

// add adds an expression to a text. Names lose the name of the only source before them. After the name of a source,
// double quotes become backquotes.
func (c *compiler) add(b *built, p part) {
	prefix := c.From.alias + "."
	copied := 0
	keep := func(to int) {
		b.pieces = append(b.pieces, piece{len(b.text), to - copied, p.at + copied})
		b.text += p.text[copied:to]
	}
	before := -1 // where a name with a point after it ends
	for l := (expr.Lexer{Text: p.text}); next(&l) == nil && l.Token.Kind != expr.End; {
		t := l.Token
		switch {
		case t.Kind == expr.Double && t.At == before:
			keep(t.At)
			b.text += string(expr.AppendQuoted(nil, t.Text, "`"))
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
