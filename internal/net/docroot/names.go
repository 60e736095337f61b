package docroot

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// compareNames orders names as people do: digits as numbers, letters without regard to case. Names that differ in no
// other way are ordered by their bytes.
func compareNames(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		if isDigit(x[0]) && isDigit(y[0]) {
			m, n := digits(x), digits(y)
			if c := compareDigits(x[:m], y[:n]); c != 0 {
				return c
			}
			x, y = x[m:], y[n:]
			continue
		}
		r, m := utf8.DecodeRuneInString(x)
		s, n := utf8.DecodeRuneInString(y)
		if c := cmp.Compare(unicode.ToLower(r), unicode.ToLower(s)); c != 0 {
			return c
		}
		x, y = x[m:], y[n:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// digits returns how many digits a name begins with.
func digits(name string) int {
	n := 0
	for n < len(name) && isDigit(name[n]) {
		n++
	}
	return n
}

// compareDigits compares numbers of any length.
func compareDigits(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
