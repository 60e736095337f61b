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

// Derive reads the expression that begins at spec[at], like year(date). It returns the column that
// will hold its values, and where the expression ends.
type Derive func(spec string, at int) (column, end int, err error)

// Parse reads one key: a column by number or name, followed by nothing, by a slice [from:to],
// or by ~ and a regular expression. A name with special characters is written "name" or
// `name`. The regular expression extends to the end or is in single quotes. What is not the name of
// a column may be an expression, unless derive is nil. Errors are of type *SyntaxError.
func Parse(spec string, resolve Resolve, derive Derive) (*Key, error) {
	p := parser{spec: spec, resolve: resolve, derive: derive}
	k, err := p.key()
	if err != nil {
		return nil, err
	}
	if p.at < len(spec) {
		return nil, p.wrong(p.at, "only one key is allowed here, and it ends before this")
	}
	keys := k.captures()
	if len(keys) > 1 {
		return nil, p.wrong(0, "only one key is allowed here, and this expression has %d", len(keys))
	}
	return keys[0], nil
}

// ParseList reads keys separated by commas, each perhaps followed by "as" and a name for it. A
// regular expression must be in single quotes if anything follows it. If it has named groups, each of
// them is a key.
func ParseList(spec string, resolve Resolve, derive Derive) ([]*Key, error) {
	p := parser{spec: spec, resolve: resolve, derive: derive}
	for keys := []*Key(nil); ; p.at++ {
		k, err := p.key()
		if err != nil {
			return nil, err
		}
		keys = append(keys, k.captures()...)
		if p.at == len(spec) {
			return keys, nil
		}
		if spec[p.at] != ',' {
			return nil, p.wrong(p.at, "a comma is missing between keys")
		}
	}
}

// captures returns the keys that a key stands for: several if its expression has named groups.
func (k *Key) captures() (keys []*Key) {
	if k.pattern == nil || k.alias != "" {
		return []*Key{k}
	}
	names := k.pattern.re.SubexpNames()
	for _, p := range k.pattern.named() {
		one := *k
		one.pattern, one.alias = p, names[p.group]
		keys = append(keys, &one)
	}
	if keys == nil {
		return []*Key{k}
	}
	return keys
}

type parser struct {
	spec    string
	at      int
	resolve Resolve
	derive  Derive
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
	k := &Key{Name: name, slice: Whole()}
	if k.Column, err = p.column(name, quoted, begin); err != nil {
		return nil, err
	}
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
	k.suffix, k.Spec = strings.TrimLeft(k.suffix, " \t"), k.Text
	k.alias, err = p.alias()
	return k, err
}

// column returns the column of a name that was read, or of the expression that begins at begin.
func (p *parser) column(name string, quoted bool, begin int) (int, error) {
	column, err := p.resolve(name, quoted)
	rest := strings.TrimLeft(p.spec[p.at:], " \t")
	follows := p.derive != nil && quoted && rest != "" && strings.IndexByte("+-*/", rest[0]) >= 0
	switch {
	case err == nil && !follows:
		return column, nil
	case p.derive == nil || !quoted && !IsExpression(name) || quoted && !follows:
		return 0, p.wrong(begin, "%v", err)
	case err == nil:
		err = errors.New("") // the name is right
	}
	column, end, deriveErr := p.derive(p.spec, begin)
	if deriveErr != nil && strings.Contains(err.Error(), "did you mean") {
		return 0, p.wrong(begin, "%v", err) // a name that is nearly right
	}
	p.at = end
	return column, deriveErr
}

// IsExpression reports whether a text that is not the name of a column looks like an expression, or
// like a name for a key after "as".
func IsExpression(text string) bool {
	if n, err := PathLen(text); err == nil && n == len(text) && IsQuotedPath(text) {
		return false
	}
	lower := strings.ToLower(text)
	return strings.ContainsAny(text, "()+-*/%$|=<>'") || strings.Contains(text, "::") || strings.Contains(lower, " as ") ||
		strings.HasPrefix(lower, "case ")
}

// IsQuotedPath reports whether a name is a path of which some steps, but not the whole, are in backquotes.
func IsQuotedPath(name string) bool {
	return strings.Contains(name, ".`") || strings.Contains(name, "`.")
}

// PathLen returns the length of the path at the start of a text: steps with dots between them, each a word or in
// backquotes, in which a backquote is doubled.
func PathLen(text string) (n int, err error) {
	for {
		if strings.HasPrefix(text[n:], "`") {
			p := parser{spec: text, at: n}
			if _, err := p.quoted('`'); err != nil {
				return 0, errors.New("the quote ` is never closed")
			}
			n = p.at
		} else {
			for n < len(text) && (isWordByte(text[n])) {
				n++
			}
		}
		if n == len(text) || text[n] != '.' {
			return n, nil
		}
		n++
	}
}

func isWordByte(c byte) bool { return c-'0' <= 9 || c|0x20-'a' < 26 || c == '_' || c >= 0x80 }

// alias reads "as" and a name, if they come next.
func (p *parser) alias() (string, error) {
	name, end, err := ParseAlias(p.spec, p.at)
	if err == nil {
		p.at = end
		p.spaces()
	}
	return name, err
}

// ParseAlias reads "as" and a name, if they come next, and returns where they end.
func ParseAlias(spec string, at int) (name string, end int, err error) {
	rest := strings.TrimLeft(spec[at:], " \t")
	if len(rest) < 2 || !strings.EqualFold(rest[:2], "as") || len(rest) > 2 && strings.IndexByte(" \t`\"'", rest[2]) < 0 {
		return "", at, nil
	}
	p := parser{spec: spec, at: len(spec) - len(rest) + 2}
	p.spaces()
	begin := p.at
	if begin < len(spec) && strings.IndexByte("`\"'", spec[begin]) >= 0 {
		name, err = p.quoted(spec[begin])
	} else {
		n := strings.IndexByte(spec[begin:], ',')
		if n < 0 {
			n = len(spec) - begin
		}
		p.at, name = begin+n, strings.TrimRight(spec[begin:begin+n], " \t")
	}
	if err == nil && name == "" {
		err = p.wrong(begin, "a name is missing after as")
	}
	return name, p.at, err
}

// name reads a column's name, up to a comma, a slice or an expression.
func (p *parser) name() (name string, quoted bool, err error) {
	rest := p.spec[p.at:]
	if n, err := PathLen(rest); err == nil && IsQuotedPath(rest[:n]) {
		p.at += n
		return rest[:n], false, nil
	}
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
