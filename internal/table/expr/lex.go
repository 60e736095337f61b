package expr

import (
	"strings"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/table/key"
)

// Kind is the kind of a token.
type Kind int

// The kinds of tokens.
const (
	End     Kind = iota
	Open         // (
	Closing      // )
	Comma        // ,
	Sign         // an operator, in its canonical notation
	Word         // an unquoted name, or a word of the language such as "in"
	Keyword      // and, or, not; in lower case
	Dollar       // $5, without the dollar
	Digits       // a text that begins like a number; on the left side also a column
	Single       // '...', without quotes
	Double       // "..."
	Back         // `...`
)

// Token is a word, a number, a quoted text or a sign.
type Token struct {
	Kind Kind
	Text string
	At   int // its offset
}

// Lexer reads the tokens of Text.
type Lexer struct {
	Text  string
	At    int   // offset after Token
	Token Token // the next token
}

// marked returns the kind of a token between two such quotes, End if c is not a quote.
func marked(c byte) Kind {
	switch c {
	case '\'':
		return Single
	case '"':
		return Double
	case '`':
		return Back
	}
	return End
}

// operators lists all notations of operators, longest first, with the canonical notation.
var operators = [...][2]string{
	{"!~*", "!~*"}, {"==", "="}, {"!=", "!="}, {"<>", "!="}, {"<=", "<="}, {">=", ">="}, {"!~", "!~"}, {"~*", "~*"},
	{"||", "||"}, {"::", "::"}, {OrElse, OrElse},
	{"=", "="}, {"<", "<"}, {">", ">"}, {"~", "~"}, {"+", "+"}, {"-", "-"}, {"*", "*"}, {"/", "/"}, {"%", "%"},
}

// instead lists operators of other languages, and what they are called here.
var instead = [...][2]string{{"!", "not"}, {"//", "trunc(a / b)"}, {"**", "pow(a, b)"}, {"^", "pow(a, b)"}}

// OrElse stands after a name, before an expression in parentheses that is meant if no column has the name. Statements
// write it for names of items.
const OrElse = "?:"

// Is reports whether the next token is this word or sign. Words are compared without case.
func (l *Lexer) Is(k Kind, text string) bool {
	return l.Token.Kind == k && strings.EqualFold(l.Token.Text, text)
}

// Next reads the token at l.At into l.Token.
func (l *Lexer) Next() error {
	l.At += len(l.Text[l.At:]) - len(strings.TrimLeft(l.Text[l.At:], " \t\r\n"))
	rest := l.Text[l.At:]
	if rest == "" {
		return l.take(End, "", 0)
	}
	c := rest[0]
	switch {
	case c == '(':
		return l.take(Open, "(", 1)
	case c == ')':
		return l.take(Closing, ")", 1)
	case c == ',':
		return l.take(Comma, ",", 1)
	case c == '$':
		n := prefix(rest[1:], isDigit)
		if n == 0 {
			return l.Wrong(l.At, "a column number is missing after $")
		}
		return l.take(Dollar, rest[1:1+n], 1+n)
	case strings.HasPrefix(rest, "&&"):
		return l.take(Keyword, "and", len("&&"))
	case marked(c) != End:
		return l.quoted(c)
	case c == '.' && len(rest) > 1 && (isLetter(rest[1]) || rest[1] == '`'): // a path as jq writes it
		l.At++
		return l.Next()
	case isDigit(c), c == '.', (c == '+' || c == '-') && !l.afterOperand() && !beginsOperand(rest[1:]):
		n := numeral(rest)
		return l.take(Digits, rest[:n], n)
	case isLetter(c):
		n := prefix(rest, func(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' })
		if rest[n-1] == '.' && strings.HasPrefix(rest[n:], "`") {
			return l.path(l.At + n)
		}
		if IsKeyword(rest[:n]) {
			return l.take(Keyword, strings.ToLower(rest[:n]), n)
		}
		return l.take(Word, rest[:n], n)
	}
	for _, i := range instead {
		if strings.HasPrefix(rest, i[0]) && !strings.HasPrefix(rest, "!=") && !strings.HasPrefix(rest, "!~") {
			return l.Wrong(l.At, "%s is written %s here", i[0], i[1])
		}
	}
	for _, o := range operators {
		if strings.HasPrefix(rest, o[0]) {
			return l.take(Sign, o[1], len(o[0]))
		}
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return l.Wrong(l.At, "%q has no meaning here", r)
}

// peek returns the token after the next one. It is an End if that is none.
func (l *Lexer) peek() Token {
	ahead := *l
	if ahead.Next() != nil {
		return Token{}
	}
	return ahead.Token
}

// afterOperand reports whether the token read last ends an operand, so that a plus or minus after
// it is an operator and not the sign of a number.
func (l *Lexer) afterOperand() bool {
	if l.At == 0 {
		return false
	}
	switch l.Token.Kind {
	case Closing, Dollar, Digits, Back, Double, Single:
		return true
	case Word:
		return !isWord(l.Token.Text, "between", "in", "is", "like", "ilike")
	}
	return false
}

// beginsOperand reports whether the text after a sign is an operand of its own, and not the digits of a
// number with this sign.
func beginsOperand(text string) bool {
	rest := strings.TrimLeft(text, " \t\r\n")
	return rest != "" && (len(rest) < len(text) || isLetter(rest[0]) || strings.IndexByte("$(`+-", rest[0]) >= 0)
}

func isWord(text string, words ...string) bool {
	for _, w := range words {
		if strings.EqualFold(text, w) {
			return true
		}
	}
	return false
}

func (l *Lexer) take(k Kind, text string, n int) error {
	l.Token = Token{k, text, l.At}
	l.At += n
	return nil
}

// quoted reads the text between two marks. A mark inside the text is doubled.
func (l *Lexer) quoted(mark byte) error {
	var b strings.Builder
	for i := l.At + 1; i < len(l.Text); i++ {
		if l.Text[i] == mark {
			i++
			if i == len(l.Text) || l.Text[i] != mark {
				if mark == '`' && strings.HasPrefix(l.Text[i:], ".") {
					return l.path(i)
				}
				return l.take(marked(mark), b.String(), i-l.At)
			}
		}
		b.WriteByte(l.Text[i])
	}
	return l.Wrong(l.At, "the quote %c is never closed", mark)
}

// path reads the path that begins at l.At, of which some steps are in backquotes, as one word. Its first step ends
// at an offset.
func (l *Lexer) path(at int) error {
	n, err := key.PathLen(l.Text[l.At:])
	if err != nil {
		return l.Wrong(at, "%v", err)
	}
	return l.take(Word, l.Text[l.At:l.At+n], n)
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

// IsDigits reports whether s consists of digits.
func IsDigits(s string) bool { return s != "" && prefix(s, isDigit) == len(s) }

// IsWord reports whether s can be written as a name without quotes.
func IsWord(s string) bool {
	return s != "" && isLetter(s[0]) && !IsKeyword(s) &&
		prefix(s, func(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' }) == len(s)
}

// IsStep reports whether s can be written as a step of a path without quotes.
func IsStep(s string) bool {
	return s != "" && !IsKeyword(s) && prefix(s, func(c byte) bool { return isLetter(c) || isDigit(c) }) == len(s)
}

// IsKeyword reports whether s is a word that is never a name without quotes.
func IsKeyword(s string) bool { return isWord(s, "and", "or", "not") }
