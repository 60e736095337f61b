// Package notation reads numbers as people write them: 1.234.567,89 or 1'234.50, perhaps with a sign of a currency or
// of percent. It finds the same number in plain digits, exactly: no value is rounded.
package notation

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Notation is a way to write numbers.
type Notation struct {
	Name    string
	Example string
	groups  []string // what may stand between groups of three digits, one of them in a number
	point   byte     // before the decimals
}

// All are the notations that people may ask for.
var All = []*Notation{
	{"de", "1.234.567,89", []string{"."}, ','},
	{"fr", "1 234 567,89", []string{" ", "\u00a0", "\u202f"}, ','},
	{"ch", "1'234'567.89", []string{"'", "’"}, '.'},
	{"en", "1,234,567.89", []string{","}, '.'},
}

// Named returns the notation of that name, nil if there is none.
func Named(name string) *Notation {
	i := slices.IndexFunc(All, func(n *Notation) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return All[i]
}

// blanks may stand around a number, and between it and its signs.
const blanks = " \t\u00a0\u202f"

// Append appends a number in plain digits, as in -1234567.89, to dst. ok is false if text is none in this notation.
// A minus sign may come first or last, and parentheses mean the same; a sign of a currency may come first or last, too.
// With a sign of percent the number is a hundredth.
func (n *Notation) Append(dst, text []byte) (plain []byte, ok bool) {
	text, negative, percent := strip(text)
	if len(text) == 0 {
		return dst, false
	}
	from := len(dst)
	if negative {
		dst = append(dst, '-')
	}
	whole, decimals, pointed := bytes.Cut(text, []byte{n.point})
	if dst, ok = n.appendWhole(dst, whole); !ok || len(whole)+len(decimals) == 0 {
		return dst[:from], false
	}
	exponent := []byte(nil)
	if i := bytes.IndexAny(decimals, "eE"); i >= 0 {
		decimals, exponent = decimals[:i], decimals[i:]
	}
	if !areDigits(decimals) || exponent != nil && (percent || !isExponent(exponent)) {
		return dst[:from], false
	}
	if percent {
		return appendHundredth(dst, from, decimals), true
	}
	if pointed && len(decimals) > 0 {
		dst = append(append(dst, '.'), decimals...)
	}
	return append(dst, exponent...), true
}

// appendHundredth moves the point of the number that begins at dst[from], whose decimals are to follow, by two digits.
func appendHundredth(dst []byte, from int, decimals []byte) []byte {
	if dst = dst[:len(dst):len(dst)]; len(dst) > from && dst[from] == '-' {
		from++
	}
	whole := bytes.Clone(dst[from:])
	for len(whole) < 3 {
		whole = append([]byte{'0'}, whole...)
	}
	cut := len(whole) - 2
	dst = append(append(append(dst[:from], whole[:cut]...), '.'), whole[cut:]...)
	return append(dst, decimals...)
}

// appendWhole appends the digits before the point, which are in groups of three or not at all.
func (n *Notation) appendWhole(dst, whole []byte) (plain []byte, ok bool) {
	for _, sep := range n.groups {
		if !bytes.Contains(whole, []byte(sep)) {
			continue
		}
		for i, group := range bytes.Split(whole, []byte(sep)) {
			if !areDigits(group) || len(group) > 3 || len(group) == 0 || i > 0 && len(group) < 3 {
				return dst, false
			}
			dst = append(dst, group...)
		}
		return dst, true
	}
	return append(dst, whole...), areDigits(whole)
}

// strip returns a text without the signs and blanks around it.
func strip(text []byte) (number []byte, negative, percent bool) {
	text = bytes.Trim(text, blanks)
	if len(text) > 2 && text[0] == '(' && text[len(text)-1] == ')' {
		text, negative = bytes.Trim(text[1:len(text)-1], blanks), true
	}
	signs, currencies := 0, 0
	if negative {
		signs++
	}
	for signs < 2 && currencies < 2 && len(text) > 0 {
		first, size := utf8.DecodeRune(text)
		switch {
		case first == '-' || first == '−':
			negative, signs = true, signs+1
		case first == '+':
			signs++
		case unicode.Is(unicode.Sc, first):
			currencies++
		default:
			size = 0
		}
		if size > 0 {
			text = bytes.TrimLeft(text[size:], blanks)
			continue
		}
		last, size := utf8.DecodeLastRune(text)
		switch {
		case last == '-' || last == '−':
			negative, signs = true, signs+1
		case last == '%':
			percent, currencies = true, currencies+1
		case unicode.Is(unicode.Sc, last):
			currencies++
		default:
			return text, negative, percent
		}
		text = bytes.TrimRight(text[:len(text)-size], blanks)
	}
	if signs > 1 || currencies > 1 {
		return nil, false, false
	}
	return text, negative, percent
}

func areDigits(text []byte) bool {
	for _, c := range text {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}

// isExponent reports whether a text that begins with e is an exponent.
func isExponent(text []byte) bool {
	digits := text[1:]
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		digits = digits[1:]
	}
	return len(digits) > 0 && areDigits(digits)
}
