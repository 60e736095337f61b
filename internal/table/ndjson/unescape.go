package ndjson

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Unescape appends the value of a string, without its quotes, to dst. Half of a surrogate pair
// becomes the three bytes that UTF-8 would have for it, so that no two strings have the same value.
func Unescape(dst, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			dst = append(dst, text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r := hex4(text[i+1:])
			i += 4
			if utf16.IsSurrogate(r) {
				pair := rune(utf8.RuneError)
				if rest := text[i+1:]; len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u' {
					pair = utf16.DecodeRune(r, hex4(rest[2:]))
				}
				if pair == utf8.RuneError { // half of a pair is no character, and none that another one is
					dst = append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6&0x3f), 0x80|byte(r&0x3f))
					continue
				}
				r = pair
				i += 6
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// hex4 returns the value of four hexadecimal digits.
func hex4(b []byte) (r rune) {
	for _, c := range b[:4] {
		r = r<<4 | (rune(c&0xf) + 9*rune(c>>6)) // letters are 0x41 and 0x61 on
	}
	return r
}

func isHex(c byte) bool { return c-'0' <= 9 || c|0x20-'a' <= 5 }
