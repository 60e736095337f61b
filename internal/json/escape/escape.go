// Package escape writes text as it stands in JSON strings.
package escape

import (
	"fmt"
	"unicode/utf8"
)

// Append appends text with what JSON asks to escape, without quotes around it. Half a surrogate pair is kept. Each
// other byte that is not UTF-8 becomes U+FFFD; valid reports whether there was none. Append copies runs of bytes that
// need no escaping as a whole.
func Append(dst, text []byte) (_ []byte, valid bool) {
	valid = true
	done := 0
	for i := 0; i < len(text); {
		b := text[i]
		if b < utf8.RuneSelf {
			i++
			if b >= ' ' && b != '"' && b != '\\' {
				continue
			}
			dst = append(dst, text[done:i-1]...)
			dst = appendEscape(dst, b)
			done = i
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, text[done:i]...)
			if half := surrogate(text[i:]); half != 0 {
				dst = fmt.Appendf(dst, "\\u%x", half)
				size = surrogateBytes
			} else {
				dst = utf8.AppendRune(dst, utf8.RuneError)
				valid = false
			}
			done = i + size
		}
		i += size
	}
	return append(dst, text[done:]...), valid
}

// surrogateBytes is the length of half a surrogate pair in what would be UTF-8. JSON can say it, so it is kept.
const surrogateBytes = 3

// surrogate returns the half of a surrogate pair with which a text begins, 0 if it begins with none.
func surrogate(text []byte) rune {
	if len(text) < surrogateBytes || text[0] != 0xed || text[1]>>5 != 0xa0>>5 || text[2]>>6 != 0x80>>6 {
		return 0
	}
	return 0xd000 | rune(text[1]&0x3f)<<6 | rune(text[2]&0x3f)
}

func appendEscape(dst []byte, b byte) []byte {
	const hex = "0123456789abcdef"
	switch b {
	case '"', '\\':
		return append(dst, '\\', b)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hex[b>>4], hex[b&15])
}
