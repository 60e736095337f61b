package encode

import (
	"unicode"
	"unicode/utf8"
)

// appendPrintable appends text that is safe for a terminal. It writes characters that would move
// the cursor or change colors or the writing direction, and invalid UTF-8, as Go escapes.
func appendPrintable(dst, text []byte) []byte {
	const hex = "0123456789abcdef"
	done := 0
	for i := 0; i < len(text); {
		b := text[i]
		if b >= ' ' && b < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if (r != utf8.RuneError || size > 1) && (unicode.IsPrint(r) || r == zeroWidthJoiner) {
			i += size
			continue
		}
		dst = append(dst, text[done:i]...)
		switch {
		case b == '\n':
			dst = append(dst, `\n`...)
		case b == '\r':
			dst = append(dst, `\r`...)
		case b == '\t':
			dst = append(dst, `\t`...)
		case size == 1:
			dst = append(dst, '\\', 'x', hex[b>>4], hex[b&15])
		case r <= 0xffff:
			dst = append(dst, '\\', 'u', hex[r>>12], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			dst = append(dst, '\\', 'U')
			for shift := 28; shift >= 0; shift -= 4 {
				dst = append(dst, hex[r>>shift&15])
			}
		}
		i += size
		done = i
	}
	return append(dst, text[done:]...)
}

// zeroWidthJoiner joins several characters into one, for example into an emoji of a family.
const zeroWidthJoiner = '\u200d'
