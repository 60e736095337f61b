package grep

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Smart case, as ripgrep documents it: case is ignored if the patterns have at least one literal character, and
// none of those is in upper case. Literal characters stand for themselves, by an escape (\x41) or in a class
// ([A-Z]). \p{Lu}, \W, [[:upper:]], flags and the names of groups are none.

// smartFold reports whether smart case ignores case.
func smartFold(fixed bool, list []string) bool {
	var all []rune
	for _, text := range list {
		if fixed {
			all = append(all, []rune(text)...)
		} else {
			all = appendLiterals(all, text)
		}
	}
	upper := func(r rune) bool { return unicode.In(r, unicode.Upper, unicode.Other_Uppercase) }
	return len(all) > 0 && !slices.ContainsFunc(all, upper)
}

// appendLiterals appends the literal characters of an expression.
func appendLiterals(dst []rune, expr string) []rune {
	for class := false; expr != ""; { // class: in brackets
		r, n := utf8.DecodeRuneInString(expr)
		switch {
		case strings.HasPrefix(expr, `\Q`) && !class:
			text, rest, _ := strings.Cut(expr[2:], `\E`)
			dst, expr = append(dst, []rune(text)...), rest
			continue
		case r == '\\':
			n = escapeBytes(expr)
			// An escape that stands for one character is read as such by the parser.
			if tree, err := syntax.Parse(expr[:n], syntax.Perl); err == nil && tree.Op == syntax.OpLiteral {
				dst = append(dst, tree.Rune...)
			}
		case class && strings.HasPrefix(expr, "[:") && strings.Contains(expr, ":]"):
			n = strings.Index(expr, ":]") + len(":]")
		case class:
			if class = r != ']'; class {
				dst = append(dst, r)
			}
		case r == '[':
			class = true
			n += len(expr[n:]) - len(strings.TrimPrefix(expr[n:], "^"))
			if strings.HasPrefix(expr[n:], "]") { // the first one is a literal
				dst, n = append(dst, ']'), n+1
			}
		case strings.HasPrefix(expr, "(?"): // flags, or the name of a group
			n = strings.IndexAny(expr, ":)>") + 1
		case r == '{' && isRepeat(expr):
			n = strings.IndexByte(expr, '}') + 1
		case !strings.ContainsRune(`.*+?()|^$`, r):
			dst = append(dst, r)
		}
		expr = expr[max(n, 1):] // 0 in what the parser will refuse
	}
	return dst
}

// isRepeat reports whether an expression begins with a number of repetitions, as {2} or {2,3}.
func isRepeat(expr string) bool {
	end := strings.IndexByte(expr, '}')
	return end > 1 && unicode.IsDigit(rune(expr[1])) && strings.Trim(expr[1:end], "0123456789,") == "" &&
		strings.Count(expr[:end], ",") <= 1
}

// escapeBytes returns the length of the escape that an expression begins with.
func escapeBytes(expr string) int {
	if len(expr) < 2 {
		return len(expr)
	}
	_, n := utf8.DecodeRuneInString(expr[1:])
	switch c := expr[1]; {
	case c >= '0' && c <= '7': // octal, up to three digits
		for n < 3 && 1+n < len(expr) && expr[1+n] >= '0' && expr[1+n] <= '7' {
			n++
		}
		return 1 + n
	case strings.IndexByte("pPx", c) < 0:
		return 1 + n
	case strings.HasPrefix(expr[2:], "{"):
		return strings.IndexByte(expr, '}') + 1
	case c == 'x':
		return min(4, len(expr))
	}
	_, n = utf8.DecodeRuneInString(expr[2:])
	return 2 + n
}
