package key

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SyntaxError says what is wrong with a text that a user wrote, and where.
type SyntaxError struct {
	Reason string
	Text   string // the whole text
	At     int    // offset in Text of the byte that is wrong
}

// Error returns three lines: the reason, the text, and a caret under the place.
func (e *SyntaxError) Error() string {
	line := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, s)
	}
	return e.Reason + "\n" + line(e.Text) + "\n" + strings.Repeat(" ", utf8.RuneCountInString(e.Text[:e.At])) + "^"
}

// Parse reads one key: a column by number or name, followed by nothing, by a slice [from:to],
// or by ~ and a regular expression. A name with special characters is written "name" or
// `name`. The expression extends to the end or is in single quotes. Errors are of type
// *SyntaxError.
func Parse(spec string, resolve Resolve) (*Key, error) {
	p := parser{spec: spec, resolve: resolve}
	k, err := p.key()
	if err != nil {
		return nil, err
	}
	if p.at < len(spec) {
		return nil, p.wrong(p.at, "only one key is allowed here, and it ends before this")
	}
	return k, nil
}

// ParseList reads keys separated by commas. An expression must be in single quotes if another
// key follows it.
func ParseList(spec string, resolve Resolve) ([]*Key, error) {
	p := parser{spec: spec, resolve: resolve}
	for keys := []*Key(nil); ; p.at++ {
		k, err := p.key()
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
		if p.at == len(spec) {
			return keys, nil
		}
		if spec[p.at] != ',' {
			return nil, p.wrong(p.at, "a comma is missing between keys")
		}
	}
}

type parser struct {
	spec    string
	at      int
	resolve Resolve
}

func (p *parser) wrong(at int, format string, args ...any) error {
	return &SyntaxError{Reason: fmt.Sprintf(format, args...), Text: p.spec, At: at}
}

func (p *parser) spaces() {
	for p.at < len(p.spec) && (p.spec[p.at] == ' ' || p.spec[p.at] == '\t') {
		p.at++
	}
}

func (p *parser) key() (*Key, error) {
	p.spaces()
	begin := p.at
	name, quoted, err := p.name()
	if err != nil {
		return nil, err
	}
	column, err := p.resolve(name, quoted)
	if err != nil {
		return nil, p.wrong(begin, "%v", err)
	}
	k := &Key{Name: name, Column: column, slice: Whole()}
	nameEnd := p.at
	p.spaces()
	switch {
	case strings.HasPrefix(p.spec[p.at:], "["):
		k.slice, p.at, err = ParseSlice(p.spec, p.at)
		p.spaces()
	case strings.HasPrefix(p.spec[p.at:], "~"):
		k.pattern, err = p.pattern()
	}
	if err != nil {
		return nil, err
	}
	k.suffix = strings.TrimRight(p.spec[nameEnd:p.at], " \t")
	k.Text = strings.TrimRight(p.spec[begin:p.at], " \t")
	if k.pattern != nil { // trailing spaces belong to the expression
		k.suffix, k.Text = p.spec[nameEnd:p.at], p.spec[begin:p.at]
		p.spaces()
	}
	k.suffix = strings.TrimLeft(k.suffix, " \t")
	return k, nil
}

// name reads a column's name, up to a comma, a slice or an expression.
func (p *parser) name() (name string, quoted bool, err error) {
	rest := p.spec[p.at:]
	if rest != "" && (rest[0] == '"' || rest[0] == '`') {
		name, err = p.quoted(rest[0])
		return name, true, err
	}
	n := strings.IndexAny(rest, ",[~")
	if n < 0 {
		n = len(rest)
	}
	name = strings.TrimRight(rest[:n], " \t")
	if name == "" {
		return "", false, p.wrong(p.at, "a column is missing here: a number from 1, or a name")
	}
	p.at += n
	return name, false, nil
}

// quoted reads the text between two marks. A mark inside the text is doubled.
func (p *parser) quoted(mark byte) (string, error) {
	var b strings.Builder
	begin := p.at
	for i := begin + 1; i < len(p.spec); i++ {
		if p.spec[i] == mark {
			if !strings.HasPrefix(p.spec[i+1:], string(mark)) {
				p.at = i + 1
				return b.String(), nil
			}
			i++
		}
		b.WriteByte(p.spec[i])
	}
	return "", p.wrong(begin, "the quote %c is never closed", mark)
}

// pattern reads ~ and an expression.
func (p *parser) pattern() (*Pattern, error) {
	p.at++
	begin := p.at
	expr := p.spec[begin:]
	if strings.HasPrefix(expr, "'") {
		var err error
		if expr, err = p.quoted('\''); err != nil {
			return nil, err
		}
		begin++
	} else {
		p.at = len(p.spec)
		if expr == "" {
			return nil, p.wrong(begin, "a regular expression is missing after ~")
		}
	}
	pattern, err := Compile(expr)
	if err != nil {
		return nil, p.wrong(begin+Place(expr, err), "%v", err)
	}
	return pattern, nil
}

// Place returns the offset in expr that err, an error of Compile, is about. It is a best
// guess: 0 if err is about the whole expression.
func Place(expr string, err error) int {
	var wrong *syntax.Error
	if !errors.As(err, &wrong) {
		return 0
	}
	return max(0, strings.LastIndex(expr, wrong.Expr))
}
