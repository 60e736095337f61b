package grep

import (
	"regexp"
	"unicode"
	"unicode/utf8"
)

// limits say what must be around a match: -w, -x.
type limits struct{ word, line bool }

func (q *Query) limits() limits { return limits{q.Word && !q.Whole, q.Whole} }

func (l limits) any() bool { return l.word || l.line }

// wordClass is what words consist of, inside brackets, as in ripgrep: letters, marks, digits and
// connectors of all scripts.
const wordClass = `\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}`

// expr returns an expression that matches in a line if and only if expr has a match in it that keeps
// the limits.
func (l limits) expr(expr string) string {
	switch {
	case l.line:
		return `^(?:` + expr + `)$`
	case l.word:
		return `(?:^|[^` + wordClass + `])(?:` + expr + `)(?:[^` + wordClass + `]|$)`
	}
	return expr
}

// allow reports whether a match in a line keeps the limits.
func (l limits) allow(line []byte, start, end int) bool {
	switch {
	case l.line:
		return start == 0 && end == len(line)
	case l.word:
		return !wordBefore(line[:start]) && !wordAfter(line[end:])
	}
	return true
}

func wordBefore(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	if c := b[len(b)-1]; c < utf8.RuneSelf {
		return isWord(rune(c))
	}
	r, n := utf8.DecodeLastRune(b)
	return n > 1 && isWord(r)
}

func wordAfter(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	if c := b[0]; c < utf8.RuneSelf {
		return isWord(rune(c))
	}
	r, n := utf8.DecodeRune(b)
	return n > 1 && isWord(r)
}

// isWord reports whether a rune is of wordClass.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc)
}

// wordSpans finds where the words are that match an expression. Only package regexp tells where a part of a
// match lies; it is slow, and only asked about lines that are known to match.
type wordSpans struct {
	first *regexp.Regexp // at the start of a line
	later *regexp.Regexp // from the rune before on
}

func newWordSpans(expr string) (*wordSpans, error) {
	const before, after = `[^` + wordClass + `]`, `(?:[^` + wordClass + `]|$)`
	first, err := regexp.Compile(`(?:^|` + before + `)(` + expr + `)` + after)
	if err != nil {
		return nil, err
	}
	later, err := regexp.Compile(before + `(` + expr + `)` + after)
	return &wordSpans{first, later}, err
}

// find appends the matches in a line to dst.
func (w *wordSpans) find(line []byte, dst [][2]int) [][2]int {
	at, re := 0, w.first
	before := len(dst) // matches in other lines
	for at <= len(line) {
		m := re.FindSubmatchIndex(line[at:])
		if m == nil {
			break
		}
		groups := [2]int{at + m[2], at + m[3]}
		if last := len(dst) - 1; last < before || groups[0] != groups[1] || dst[last][1] != groups[0] {
			dst = append(dst, groups)
		}
		// The next match begins at the end of this one or later, an empty one does one rune later. What
		// is before it must be looked at again.
		end := groups[1]
		if groups[0] == groups[1] {
			if end == len(line) {
				break
			}
			_, n := utf8.DecodeRune(line[end:])
			end += n
		}
		_, n := utf8.DecodeLastRune(line[:end])
		at, re = end-n, w.later
		if end == 0 {
			re = w.first
		}
	}
	return dst
}
