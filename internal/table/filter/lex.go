package filter

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/table/key"
)

// kind is the kind of a token.
type kind int

const (
	end     kind = iota
	open         // (
	closing      // )
	sign         // an operator, in its canonical notation
	word         // an unquoted name
	keyword      // and, or, not; in lower case
	dollar       // $5, without the dollar
	number       // a text that begins like a number; on the left side also a column
	single       // '...', without quotes
	double       // "..."
	back         // `...`
)

type token struct {
	kind kind
	text string
	at   int // its offset
}

// marks maps each quote to the kind of the quoted token.
var marks = map[byte]kind{'\'': single, '"': double, '`': back}

// operators lists all notations of operators, longest first, with the canonical notation.
var operators = [...][2]string{
	{"==", "="}, {"!=", "!="}, {"<>", "!="}, {"<=", "<="}, {">=", ">="}, {"!~", "!~"},
	{"=", "="}, {"<", "<"}, {">", ">"}, {"~", "~"},
}

// instead lists operators of other languages, and what they are called here.
var instead = [...][2]string{{"&&", "and"}, {"||", "or"}, {"!", "not"}}

func (p *parser) wrong(at int, format string, args ...any) error {
	return &key.SyntaxError{Reason: fmt.Sprintf(format, args...), Text: p.expr, At: at}
}

// next reads the token at p.at into p.token.
func (p *parser) next() error {
	p.at += len(p.expr[p.at:]) - len(strings.TrimLeft(p.expr[p.at:], " \t\r\n"))
	rest := p.expr[p.at:]
	if rest == "" {
		return p.take(end, "", 0)
	}
	c := rest[0]
	switch {
	case c == '(':
		return p.take(open, "(", 1)
	case c == ')':
		return p.take(closing, ")", 1)
	case c == '$':
		n := prefix(rest[1:], isDigit)
		if n == 0 {
			return p.wrong(p.at, "a column number is missing after $")
		}
		return p.take(dollar, rest[1:1+n], 1+n)
	case marks[c] != end:
		return p.quoted(c)
	case isDigit(c), c == '.', c == '+', c == '-':
		n := numeral(rest)
		return p.take(number, rest[:n], n)
	case isLetter(c):
		n := prefix(rest, func(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' })
		if isKeyword(rest[:n]) {
			return p.take(keyword, strings.ToLower(rest[:n]), n)
		}
		return p.take(word, rest[:n], n)
	}
	for _, o := range operators {
		if strings.HasPrefix(rest, o[0]) {
			return p.take(sign, o[1], len(o[0]))
		}
	}
	for _, i := range instead {
		if strings.HasPrefix(rest, i[0]) {
			return p.wrong(p.at, "%s is written %s here", i[0], i[1])
		}
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return p.wrong(p.at, "%q has no meaning here", r)
}

func (p *parser) take(k kind, text string, n int) error {
	p.token = token{k, text, p.at}
	p.at += n
	return nil
}

// quoted reads the text between two marks. A mark inside the text is doubled.
func (p *parser) quoted(mark byte) error {
	var b strings.Builder
	for i := p.at + 1; i < len(p.expr); i++ {
		if p.expr[i] == mark {
			i++
			if i == len(p.expr) || p.expr[i] != mark {
				return p.take(marks[mark], b.String(), i-p.at)
			}
		}
		b.WriteByte(p.expr[i])
	}
	return p.wrong(p.at, "the quote %c is never closed", mark)
}

// numeral returns the length of the number at the start of text. It includes letters, so that an
// error message shows a wrong number as a whole.
func numeral(text string) int {
	n := 1
	for n < len(text) {
		c, before := text[n], text[n-1]
		exponent := (c == '+' || c == '-') && (before == 'e' || before == 'E')
		if !isDigit(c) && !isLetter(c) && c != '.' && !exponent {
			break
		}
		n++
	}
	return n
}

// prefix returns how many bytes at the start of text satisfy fits.
func prefix(text string, fits func(byte) bool) int {
	n := 0
	for n < len(text) && fits(text[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func isLetter(c byte) bool { return c|0x20-'a' < 26 || c == '_' || c >= utf8.RuneSelf }

func isDigits(s string) bool { return s != "" && prefix(s, isDigit) == len(s) }

// isWord reports whether s can be written without quotes.
func isWord(s string) bool {
	return s != "" && isLetter(s[0]) &&
		prefix(s, func(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' }) == len(s)
}

func isKeyword(s string) bool {
	return strings.EqualFold(s, "and") || strings.EqualFold(s, "or") || strings.EqualFold(s, "not")
}
