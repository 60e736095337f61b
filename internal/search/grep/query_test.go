package grep

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/question"
)

// TestFixedTexts compares texts that expressions cannot say with a plain loop: U+FFFD is no byte that is not UTF-8,
// and such bytes are patterns, too.
func TestFixedTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	words := []string{"a", "A", "k", "\u212a", "\ufffd", "\xff", "é", "1", " "}
	some := func(n int) (text string) {
		for range n {
			text += words[r.IntN(len(words))]
		}
		return text
	}
	for range rounds.Of(2000) {
		p := question.Lines{Fixed: true, IgnoreCase: r.IntN(2) == 0, Whole: r.IntN(2) == 0}
		for range 1 + r.IntN(3) {
			text := some(r.IntN(3))
			if p.IgnoreCase {
				text = strings.ToValidUTF8(text, "")
			}
			if text == "" && !p.Whole {
				text = "\ufffd"
			}
			p.Patterns = append(p.Patterns, text)
		}
		q, err := Compile(p)
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		for range 4 {
			line := some(r.IntN(5))
			want := slices.ContainsFunc(p.Patterns, func(text string) bool { return holds(line, text, p.IgnoreCase, p.Whole) })
			m := q.matcher()
			got := (&Finder{m}).In([]byte(line + "\n"))
			if spans := m.spans([]byte(line), nil); got != want || len(spans) > 0 != want {
				t.Fatalf("%+v in %q: %v, spans %v, want %v", p, line, got, spans, want)
			}
		}
	}
}

// holds reports whether a text occurs in a line, or is all of it.
func holds(line, text string, fold, whole bool) bool {
	for i := range len(line) + 1 {
		at, rest := i, text
		for rest != "" && at < len(line) {
			a, n := utf8.DecodeRuneInString(line[at:])
			b, m := utf8.DecodeRuneInString(rest)
			invalid := a == utf8.RuneError && n == 1 || b == utf8.RuneError && m == 1
			same := line[at:at+n] == rest[:m] || fold && !invalid && foldsTo(a, b)
			if !same {
				break
			}
			at, rest = at+n, rest[m:]
		}
		if rest == "" && (!whole || i == 0 && at == len(line)) {
			return true
		}
	}
	return false
}

func foldsTo(a, b rune) bool {
	for r := unicode.SimpleFold(a); r != a; r = unicode.SimpleFold(r) {
		if r == b {
			return true
		}
	}
	return a == b
}

// TestReplacementCharacter: in an expression that is nothing but a text, U+FFFD matches what is not UTF-8, as in all
// other expressions.
func TestReplacementCharacter(t *testing.T) {
	for _, p := range []question.Lines{
		{Patterns: []string{`\x{FFFD}`}}, {Patterns: []string{"\ufffd"}}, {Patterns: []string{`\x{fffd}`, "z"}},
		{Patterns: []string{`K\x{FFFD}`}, IgnoreCase: true}, {Patterns: []string{`k\x{FFFD}`}, Word: true},
		{Patterns: []string{`k\x{FFFD}`}, Whole: true}, {Patterns: []string{`\Qk` + "\ufffd" + `\E`}},
	} {
		q, err := Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"k\xff", "k\ufffd"} {
			if !q.Finder().In([]byte("xx\n" + line)) {
				t.Errorf("%+v does not match %q", p, line)
			}
		}
	}
}

// TestSmartCase holds which characters of a pattern decide whether its case matters, by ripgrep's documentation.
func TestSmartCase(t *testing.T) {
	for _, test := range []struct {
		folds    bool
		patterns []string
	}{
		{true, []string{`a`, `\wa`, `a\W`, `a\pL`, `a\p{Lu}`, `a\PL`, `a[[:upper:]]`, `a(?U:b+)`, `(?P<Name>a)`, `(?<Name>a)`,
			`\x61`, `\x{e9}`, `\141`, `a\S\D\B\A`, `\Qa\E\W`, `1\p{Lu}`, `[a-z]`, `[^a]`, `[]a]`, `[-]\p{Lu}`,
			`a\p{^Lu}`, `\n\pL`, `\.\pL`, `é`, `a{2}\p{Lu}`, `{\p{Lu}`}},
		{false, []string{`A`, `aB`, `\x41`, `\x{41}`, `\x{c9}`, `\101`, `[A-Z]`, `[a-zA]`, `[^A]`, `[]A]`, `\QA\E`, `(?P<n>A)`,
			`É`, `Ⓐ`, `(?i)A`, `[[:upper:]A]`, `[\x41]`,
			// without a literal character
			`\p{Lu}`, `\pL`, `[[:upper:]]`, `\W`, `.`, `^$`, ``, `\p{Lu}{2}`, `\p{Lu}{2,3}`, `(?s:.)`, `(?P<n>\p{Lu})`, `\b`}},
	} {
		for _, text := range test.patterns {
			if got := smartFold(false, []string{text}); got != test.folds {
				t.Errorf("%s: ignores case %v, want %v", text, got, test.folds)
			}
		}
	}
	if smartFold(false, []string{"a", "B"}) || !smartFold(true, []string{`\w`}) ||
		smartFold(true, []string{`\W`}) {
		t.Error("all patterns decide together; texts have no escapes")
	}
	for _, malformed := range []string{`\p{`, `\x{`, `(?`, `\`, `[`, `[[:`, `\x`, `\p`, `\Q`, `a{`} {
		smartFold(false, []string{malformed}) // the parser says what is wrong; here it must end
	}
}

// TestEmptyMatches: an empty match is found in a line without a byte, and in a line after one that ends with a match.
func TestEmptyMatches(t *testing.T) {
	for _, test := range []struct {
		p    question.Lines
		want string // of "ab", "", "" and "ab", in one list
	}{
		{question.Lines{Patterns: []string{"^"}}, "[[0 0] [0 0] [0 0] [0 0]]"},
		{question.Lines{Patterns: []string{"$"}}, "[[2 2] [0 0] [0 0] [2 2]]"},
		{question.Lines{Patterns: []string{"a*"}}, "[[0 1] [2 2] [0 0] [0 0] [0 1] [2 2]]"},
		{question.Lines{Patterns: []string{"x*"}, Word: true}, "[[0 0] [0 0]]"},
		{question.Lines{Patterns: []string{"x*"}, Whole: true}, "[[0 0] [0 0]]"},
		{question.Lines{Patterns: []string{"", "\ufffd"}, Whole: true, Fixed: true}, "[[0 0] [0 0]]"},
	} {
		q, err := Compile(test.p)
		if err != nil {
			t.Fatal(err)
		}
		var spans [][2]int
		m := q.matcher()
		for _, line := range []string{"ab", "", "", "ab"} {
			spans = m.spans([]byte(line), spans)
		}
		if got := fmt.Sprint(spans); got != test.want {
			t.Errorf("%+v: %s, want %s", test.p, got, test.want)
		}
	}
}
