package expr

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/value"
)

func countRunes(text []byte) int { return utf8.RuneCount(text) }

// mapRunes changes the characters of a text. Bytes that are not UTF-8 stay as they are.
func mapRunes(text []byte, f func(rune) rune) []byte {
	b := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			b = append(b, text[0])
		} else {
			b = utf8.AppendRune(b, f(r))
		}
		text = text[n:]
	}
	return b
}

// substr returns a part of a text, from a character on, which counts from 1, or from -1 at the end. A negative length
// goes back from there. What lies before the first character counts, and is empty.
func substr(args []value.Value) value.Value {
	text := args[0].Text()
	from, ok := integerArgument(args[1])
	n, lengthOK := 1<<40, true
	if len(args) > 2 {
		n, lengthOK = integerArgument(args[2])
	}
	if from < 0 {
		from += countRunes(text)
	} else {
		from--
	}
	to := from + n
	return sliced(text, max(0, min(from, to)), max(0, from, to), ok && lengthOK)
}

// sliced returns the characters from one on up to another one, counted from 0; a negative end counts from the end.
func sliced(text []byte, from, to int, ok bool) value.Value {
	if !ok {
		return value.Value{}
	}
	if to < 0 {
		to = max(0, countRunes(text)+to)
	}
	begin := offset(text, from)
	return value.OfText(text[begin : begin+offset(text[begin:], max(0, to-from))])
}

// offset returns where a character of a text begins, at most its end.
func offset(text []byte, runes int) (at int) {
	for ; runes > 0 && at < len(text); runes-- {
		if text[at] < utf8.RuneSelf {
			at++
			continue
		}
		_, n := utf8.DecodeRune(text[at:])
		at += n
	}
	return at
}

// trimmed makes a function that takes characters away at ends: spaces, or those of the second argument.
func trimmed(trim func(text []byte, cut string) []byte) func(args []value.Value) value.Value {
	return func(args []value.Value) value.Value {
		cut := " "
		if len(args) > 1 {
			cut = string(args[1].Text())
		}
		text := trim(args[0].Text(), cut)
		if text == nil { // not null, but empty
			text = []byte{}
		}
		return value.OfText(text)
	}
}

// patterns are functions of regular expressions.
var patterns = []function{
	{names: []string{"regexp_replace"}, min: 3, max: 4, result: texts, prepare: prepareReplace,
		vector: replacements},
	{names: []string{"regexp_matches"}, min: 2, max: 3, result: booleans, vector: matches,
		prepare: func(args []Node) (func(args []value.Value) value.Value, int, string) {
			re, _, wrong, reason := compiled(args, 2)
			return func(args []value.Value) value.Value { return value.OfBool(re.Match(args[0].Text())) }, wrong, reason
		}},
}

const patternMissing = "the pattern is missing here, in single quotes"

// compiled returns the regular expression that is the second argument, with the options that are the one at an index:
// i ignores case, and g is for all matches.
func compiled(args []Node, options int) (re *regexp.Regexp, all bool, wrong int, reason string) {
	pattern, ok := constantText(args[1])
	if !ok {
		return nil, false, 1, patternMissing
	}
	flags := ""
	if len(args) > options {
		letters, ok := constantText(args[options])
		for _, c := range letters {
			switch c {
			case 'g':
				all = true
			case 'i', 's':
				flags += string(c)
			case 'c':
			default:
				ok = false
			}
		}
		if !ok {
			return nil, false, options, "options in single quotes are missing here: g for all matches, i for any case"
		}
	}
	if flags != "" {
		pattern = "(?" + flags + ")" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, false, 1, err.Error()
	}
	return re, all, 0, ""
}

// prepareReplace returns the function that replaces the first match, or all of them. In the new text \1 is what the
// first parenthesis matched, and \0 is all of the match.
func prepareReplace(args []Node) (run func(args []value.Value) value.Value, wrong int, reason string) {
	re, all, wrong, reason := compiled(args, 3)
	if reason != "" {
		return nil, wrong, reason
	}
	with, ok := constantText(args[2])
	if !ok {
		return nil, 2, "the new text is missing here, in single quotes"
	}
	template, most := template(with)
	if most > re.NumSubexp() {
		return nil, 2, "the pattern has fewer groups than this names"
	}
	return func(args []value.Value) value.Value {
		text := args[0].Text()
		match := re.FindSubmatchIndex(text)
		if match == nil {
			return args[0]
		}
		if all {
			return value.OfText(re.ReplaceAll(text, template))
		}
		out := append([]byte{}, text[:match[0]]...)
		out = re.Expand(out, template, text, match)
		return value.OfText(append(out, text[match[1]:]...))
	}, 0, ""
}

// template returns a new text as package regexp writes it, and the highest group that it names.
func template(with string) (text []byte, most int) {
	for i := 0; i < len(with); i++ {
		switch c := with[i]; {
		case c == '$':
			text = append(text, "$$"...)
		case c == '\\' && i+1 < len(with) && isDigit(with[i+1]):
			i++
			text = append(text, '$', '{', with[i], '}')
			most = max(most, int(with[i]-'0'))
		case c == '\\' && i+1 < len(with):
			i++
			text = append(text, with[i])
		default:
			text = append(text, c)
		}
	}
	return text, most
}

// extracted returns the function that finds a group of a pattern.
func extracted(pattern string, group int) (run func(args []value.Value) value.Value, err error) {
	if _, err := key.Extract(0, pattern, group); err != nil {
		return nil, err
	}
	re := regexp.MustCompile(pattern)
	return func(args []value.Value) value.Value {
		match := re.FindSubmatchIndex(args[0].Text())
		if match == nil || match[2*group] < 0 {
			return value.Value{}
		}
		return value.OfText(args[0].Text()[match[2*group]:match[2*group+1]])
	}, nil
}

// LikePattern returns the regular expression of a LIKE pattern, which describes the whole field:
// % stands for any text, _ for any character. A backslash before one of them, or before a backslash,
// takes away its meaning.
func LikePattern(pattern string, fold bool) string {
	var b strings.Builder
	escaped, anyLast := false, false
	for _, c := range pattern {
		anyLast = c == '%' && !escaped
		switch {
		case escaped && !strings.ContainsRune(`%_\`, c):
			b.WriteString(`\\` + regexp.QuoteMeta(string(c)))
		case c == '\\' && !escaped:
			escaped = true
			continue
		case anyLast:
			b.WriteString(".*")
		case c == '_' && !escaped:
			b.WriteByte('.')
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
		escaped = false
	}
	if escaped {
		b.WriteString(`\\`)
	}
	// A search finds any text before and after by itself, and faster.
	expression, ended := `\A`+b.String(), `\z`
	if strings.HasPrefix(pattern, "%") {
		expression = strings.TrimPrefix(b.String(), ".*")
	}
	if anyLast && !escaped {
		expression, ended = strings.TrimSuffix(expression, ".*"), ""
	}
	if fold {
		return "(?is)" + expression + ended
	}
	return "(?s)" + expression + ended
}
