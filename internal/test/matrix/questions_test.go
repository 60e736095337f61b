package matrix

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
)

// asked is a query and the plain way to answer it for a range of bytes.
type asked struct {
	name  string // readable description
	query *thresh.Query
	flags []string // the command's flags for the query; nil if there are none
	// places returns the hits in a range, at offsets from its start; nil if hits are only counted.
	places func(span []byte) []answer.Hit
	// check compares a report of Count with the range that was counted.
	check func(span []byte, report *answer.Report) error
	// parts are texts that affect the answer. Inputs are made of them.
	parts []string
	// refused reports whether Count may fail because the answer would be too large; may be nil.
	refused func(span []byte) bool
	// trailing returns how many bytes at the end are no whole value; may be nil.
	trailing func(n int) int64
}

// selectors make random questions, by the name of the library function that makes the query.
// TestEveryQueryIsAsked compares them with the library.
var selectors = map[string]func(*rand.Rand) (asked, error){
	"NonZero":   nonZero,
	"LineCount": lineCount,
	"Rows":      rowCount,
	"WordCount": wordCount,
	"CharCount": charCount,

	"TextSize": textCounts,

	"Text":       text,
	"Any":        anyTexts,
	"Hex":        hexadecimal,
	"Regexp":     anyExpressions,
	"Values":     values,
	"Statistics": statistics,
	"Histogram":  histogram,
}

// found completes a question that has places: the count is the number of places.
func found(q asked, err error) (asked, error) {
	q.check = func(span []byte, report *answer.Report) error {
		return same("hits", report.Hits, int64(len(q.places(span))))
	}
	return q, err
}

// counted completes a question whose answer is one number.
func counted(name string, query *thresh.Query, count func(span []byte) int64, parts ...string) (asked, error) {
	return asked{name: name, query: query, flags: []string{"--" + name}, parts: parts, check: func(span []byte, report *answer.Report) error {
		return same("count", report.Hits, count(span))
	}}, nil
}

func same[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}

func nonZero(*rand.Rand) (asked, error) {
	return found(asked{name: "nonzero", query: thresh.NonZero(), flags: []string{"--nonzero"}, parts: []string{"\x00\x00\x00\x00", "\x00", "\x01", "\xff"},
		places: func(span []byte) (hits []answer.Hit) {
			for i, b := range span {
				if b != 0 {
					hits = append(hits, answer.Hit{Off: int64(i), Len: 1})
				}
			}
			return hits
		}}, nil)
}

func lineCount(*rand.Rand) (asked, error) {
	return counted("lines", thresh.LineCount(), func(span []byte) (n int64) {
		for i, b := range span {
			if b == '\n' || i == len(span)-1 {
				n++
			}
		}
		return n
	}, "\n", "\r\n", "\n\n")
}

var textParts = []string{"a", " ", "\n", "\t", "\x00", "\x7f", "é", "€", "😀", "\u00a0", "\u2003", "\u3000", "\u2028", "\u0085",
	"\xff", "\xe2\x80", "\x80", "\xed\xa0\x80", "word word\n", "слово ", "\r\n"}

func wordCount(*rand.Rand) (asked, error) {
	return counted("words", thresh.WordCount(), func(span []byte) int64 { return textOf(span).Words }, textParts...)
}

func charCount(*rand.Rand) (asked, error) {
	return counted("chars", thresh.CharCount(), func(span []byte) int64 { return textOf(span).Chars }, textParts...)
}

// textCounts asks for lines, words and characters. The command's output has several numbers, so there
// are no flags.
func textCounts(*rand.Rand) (asked, error) {
	return asked{name: "lines, words, chars", query: thresh.TextSize(), parts: textParts,
		check: func(span []byte, report *answer.Report) error {
			if report.Text == nil {
				return errors.New("no sizes of the text")
			}
			want := textOf(span)
			return errors.Join(same("text", *report.Text, want), same("count", report.Hits, want.Lines))
		}}, nil
}

// textOf counts lines, words and characters of a text, with the standard library's decoder, and the
// characters beyond Unicode by themselves.
func textOf(span []byte) (t answer.TextCounts) {
	inside := false
	for i := 0; i < len(span); {
		r, n := utf8.DecodeRune(span[i:])
		if long := beyondUnicode(span[i:]); long > 0 {
			n = long
			t.Chars++
		}
		i += n
		if r == '\n' || i == len(span) {
			t.Lines++
		}
		if r == utf8.RuneError && n != 3 {
			continue
		}
		t.Chars++
		switch {
		case strings.ContainsRune("\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u2060\u3000", r):
			inside = false
		case unicode.IsGraphic(r) || unicode.In(r, unicode.Cf, unicode.Co):
			if !inside {
				t.Words++
			}
			inside = true
		}
	}
	return t
}

// beyondUnicode returns the length of a character at the start of b that needs more bits than Unicode has:
// its first byte has as many ones before the first zero as it has bytes, and all others begin with 10.
func beyondUnicode(b []byte) int {
	n := bits.LeadingZeros8(^b[0])
	if n < 4 || n > 6 || len(b) < n {
		return 0
	}
	value := int64(b[0]) & (1<<(7-n) - 1)
	for _, c := range b[1:n] {
		if c>>6 != 0b10 {
			return 0
		}
		value = value<<6 | int64(c&0x3f)
	}
	if value <= unicode.MaxRune || n > 4 && value>>(5*n-4) == 0 {
		return 0
	}
	return n
}

// rowCount counts the records of text.
func rowCount(r *rand.Rand) (asked, error) {
	delim := string(pick[byte](r, ',', ',', ';', '|', '\t', 'a'))
	query, err := thresh.Rows(delim[0])
	if err != nil {
		return asked{}, err
	}
	q, err := counted("rows", query, func(span []byte) int64 { return records(span, delim[0]) },
		append([]string{delim, delim + `"`, `"` + delim}, rowParts...)...)
	q.name, q.flags = fmt.Sprintf("rows with %q", delim), append(q.flags, "--delimiter="+delim)
	return q, err
}

var rowParts = []string{"\n", `"`, `""`, "\"\n\"", ",", "\r\n", "a", `,"`, "\",", "\n\"a\n"}

// records counts the records of a text in which fields may be quoted. A quote opens a field only as
// its first byte; two quotes in a row do not close it.
func records(span []byte, delim byte) (n int64) {
	span = bytes.TrimPrefix(span, []byte("\xef\xbb\xbf"))
	const (
		before = iota // a field
		inside
		quoted
		closed // by a quote, unless another one follows
	)
	state := before
	for i, b := range span {
		switch {
		case state == quoted:
			if b == '"' {
				state = closed
			}
		case state == closed && b == '"' || state == before && b == '"':
			state = quoted
		case b == delim:
			state = before
		case b == '\n':
			n, state = n+1, before
		default:
			state = inside
		}
		if i == len(span)-1 && (b != '\n' || state == quoted) {
			n++
		}
	}
	return n
}

// text searches for literal bytes: short ones, long ones, some that overlap themselves, some with
// zeros.
func text(r *rand.Rand) (asked, error) {
	s := pick(r, "a", "\n", "\x00", "ab", "aa", "aba", "aaaa", "abab", "\x00\x00\x00", "é", "\xff\xfe", "a\nb", "needle",
		"abacabadabacaba", strings.Repeat("ab", 20), strings.Repeat("x", 33), strings.Repeat("\x00", 70),
		strings.Repeat("abc", 100), "req=7f3a9c", string(randomBytes(r, 1+r.IntN(12), "ab")))
	query, err := thresh.Text(s)
	return found(asked{name: fmt.Sprintf("text %q", s), query: query, flags: flag("text", s), parts: partsOf(r, s), places: func(span []byte) []answer.Hit {
		return disjoint(span, len(s), func(at []byte) bool { return string(at) == s })
	}}, err)
}

// flag returns a flag of the command, nil if its value cannot be an argument of a program.
func flag(name, value string) []string {
	if strings.Contains(value, "\x00") {
		return nil
	}
	return []string{"--" + name + "=" + value}
}

// partsOf returns a text, a prefix and a suffix of it, and a copy with one byte changed.
func partsOf(r *rand.Rand, s string) []string {
	k := r.IntN(len(s))
	return []string{s, s, s + s, s[:k+1], s[k:], s[:k] + "b" + s[k+1:]}
}

// disjoint returns the non-overlapping matches of n bytes, from left to right.
func disjoint(span []byte, n int, fits func([]byte) bool) (hits []answer.Hit) {
	for i := 0; i+n <= len(span); {
		if !fits(span[i : i+n]) {
			i++
			continue
		}
		hits = append(hits, answer.Hit{Off: int64(i), Len: int64(n)})
		i += n
	}
	return hits
}

// hexadecimal searches for bytes with wildcards.
func hexadecimal(r *rand.Rand) (asked, error) {
	n := 1 + r.IntN(9)
	if chance(r, 10) {
		n = 1 + r.IntN(100)
	}
	want, mask := randomBytes(r, n, "ab\x00\xff"), make([]byte, n)
	known := r.IntN(n) // a pattern of wildcards only is rejected
	var b strings.Builder
	for i := range n {
		mask[i] = pick[byte](r, 0xff, 0xff, 0xff, 0xf0, 0x0f, 0)
		if i == known {
			mask[i] |= pick[byte](r, 0xff, 0xf0, 0x0f)
		}
		digits := []byte(hex.EncodeToString(want[i : i+1]))
		for k, nibble := range []byte{0xf0, 0x0f} {
			if mask[i]&nibble == 0 {
				digits[k] = '?'
			}
		}
		fmt.Fprintf(&b, "%s%s", digits, pick(r, "", " "))
	}
	query, err := thresh.Hex(b.String())
	return found(asked{name: fmt.Sprintf("hex %q", b.String()), query: query, flags: flag("hex", b.String()), parts: partsOf(r, string(want)),
		places: func(span []byte) []answer.Hit {
			return disjoint(span, n, func(at []byte) bool {
				for i := range at {
					if (at[i]^want[i])&mask[i] != 0 {
						return false
					}
				}
				return true
			})
		}}, err)
}

// expression searches for matches of a regular expression, line by line.
func expression(r *rand.Rand) (asked, error) {
	expr, parts := randomExpression(r)
	plain, err := regexp.Compile(expr)
	if err != nil {
		return asked{}, fmt.Errorf("the test's own expression %q: %w", expr, err)
	}
	query, err := thresh.Regexp(expr)
	return found(asked{name: fmt.Sprintf("regex %q", expr), query: query, flags: flag("regex", expr), parts: parts, places: func(span []byte) []answer.Hit {
		return matches(plain, span)
	}}, err)
}

// matches returns the matches that Go's regexp finds in each line by itself.
func matches(re *regexp.Regexp, span []byte) (hits []answer.Hit) {
	off := 0
	for line := range bytes.Lines(span) {
		for _, m := range re.FindAllIndex(bytes.TrimSuffix(line, []byte("\n")), -1) {
			hits = append(hits, answer.Hit{Off: int64(off + m[0]), Len: int64(m[1] - m[0])})
		}
		off += len(line)
	}
	return hits
}

// randomBytes returns n bytes of an alphabet.
func randomBytes(r *rand.Rand, n int, alphabet string) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return b
}
