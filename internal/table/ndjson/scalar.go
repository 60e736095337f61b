package ndjson

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
)

// scalar reads a string, a number, true, false or null. Most are read here, without a call.
func (l *Locator) scalar(text []byte, at int) (behind int, kind Kind) {
	whole := l.text
	if at+readAhead > len(whole) {
		return l.anyScalar(text, at)
	}
	from := at
	switch c := whole[at]; {
	case c == '"':
		from++
		near, escape := l.ahead(from)
		end := from + bits.TrailingZeros64(near)
		if near == 0 || end >= len(text) || l.controls {
			break
		}
		escape &= near - 1
		if escape == 0 {
			return end + 1, String
		}
		for ; escape != 0 && isShort[whole[from+bits.TrailingZeros64(escape)]]; escape &= escape - 1 {
		}
		if escape == 0 {
			return end + 1, Escaped
		}
	case c == '-' || c-'0' <= 9:
		if c == '-' {
			from++
		}
		n := l.digits(from)
		if n == 0 || n > 1 && whole[from] == '0' || from+n >= len(whole) {
			break
		}
		from += n
		if c = whole[from]; c == '.' {
			from++
			if n = l.digits(from); n == 0 || from+n >= len(whole) {
				break
			}
			from += n
			c = whole[from]
		}
		if c|0x20 != 'e' {
			return from, Plain
		}
	case c == 't' && string(whole[at:at+4]) == "true":
		return at + 4, Plain
	case c == 'n' && string(whole[at:at+4]) == "null":
		return at + 4, Missing
	}
	return l.anyScalar(text, at)
}

// ahead returns the quotes in the bytes from a place on, and the escaped bytes.
func (l *Locator) ahead(at int) (quotes, escaped uint64) {
	word, shift := uint(at)>>6, uint(at)&63
	ends := l.ends[word : word+2 : word+2]
	return ends[0].Quotes>>shift | ends[1].Quotes<<1<<(63-shift), ends[0].Escaped>>shift | ends[1].Escaped<<1<<(63-shift)
}

// digits returns how many digits are at a place of the text. If there are too many to see, it returns a great number.
func (l *Locator) digits(at int) int {
	word, shift := uint(at)>>6, uint(at)&63
	ends := l.ends[word : word+2 : word+2]
	others := ^(ends[0].Digits>>shift | ends[1].Digits<<1<<(63-shift))
	if others == 0 {
		return math.MaxInt32
	}
	return bits.TrailingZeros64(others)
}

// isShort is true for the bytes that are an escape alone.
var isShort = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// readAhead is how many bytes scalar may read from a place on, which may be behind the line.
const readAhead = 32

// anyScalar is scalar for values of any length, and at any place. It says what is wrong.
func (l *Locator) anyScalar(text []byte, at int) (behind int, kind Kind) {
	switch c := peek(text, at); c {
	case '"':
		var escaped bool
		at, escaped = l.str(text, at)
		if escaped {
			return at, Escaped
		}
		return at, String
	case 't':
		return l.word(text, at, "true"), Plain
	case 'f':
		return l.word(text, at, "false"), Plain
	case 'n':
		return l.word(text, at, "null"), Missing
	default:
		if c != '-' && c-'0' > 9 {
			return l.fail(at, "a value is missing"), Missing
		}
		return l.number(text, at), Plain
	}
}

// notDigits returns the highest bits of those of 8 bytes that are no digits.
func notDigits(b []byte) uint64 {
	// A digit xor '0' is at most 9. Adding 0x76 to the low seven bits of more sets the highest bit.
	const lows, highs = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	v := binary.LittleEndian.Uint64(b) ^ 0x3030303030303030
	return ((v&lows + 0x7676767676767676) | v) & highs
}

// str reads a string, and reports whether it has escapes.
func (l *Locator) str(text []byte, at int) (behind int, escaped bool) {
	from := at + 1
	end := l.next(from, len(text), false)
	if end == len(text) {
		return l.fail(end, "a string is not closed"), false
	}
	return l.check(text, from, end)
}

// check checks the string [from, end).
func (l *Locator) check(text []byte, from, end int) (behind int, escaped bool) {
	if l.controls {
		for i, c := range text[from:end] {
			if c < ' ' {
				return l.fail(from+i, "a control character in a string"), false
			}
		}
	}
	for at := l.next(from, end, true); at < end; at = l.next(at+1, end, true) {
		escaped = true
		switch c := text[at]; {
		case isShort[c]:
		case c == 'u':
			for i := at + 1; i <= at+4; i++ {
				if i >= end || !isHex(text[i]) {
					return l.fail(min(i, end), "an escape is no \\u and four hexadecimal digits"), false
				}
			}
		default:
			return l.fail(at, "an unknown escape"), false
		}
	}
	return end + 1, escaped
}

func (l *Locator) word(text []byte, at int, w string) int {
	if !bytes.HasPrefix(text[at:], []byte(w)) {
		return l.fail(at, "a value is missing")
	}
	return at + len(w)
}

// number reads a number.
func (l *Locator) number(text []byte, at int) int {
	if text[at] == '-' {
		at++
	}
	whole := digits(text, at)
	if whole == at || text[at] == '0' && whole > at+1 {
		return l.fail(at, "a number is not written as JSON wants it")
	}
	at = whole
	if peek(text, at) == '.' {
		if whole = digits(text, at+1); whole == at+1 {
			return l.fail(whole, "a digit is missing")
		}
		at = whole
	}
	if peek(text, at)|0x20 == 'e' {
		at++
		if c := peek(text, at); c == '+' || c == '-' {
			at++
		}
		if whole = digits(text, at); whole == at {
			return l.fail(at, "a digit is missing")
		}
		at = whole
	}
	return at
}

// digits skips digits. Eight bytes are looked at at once, because a loop whose length changes from number to number is
// guessed wrongly at its end each time.
func digits(text []byte, at int) int {
	for ; at+8 <= len(text); at += 8 {
		if others := notDigits(text[at : at+8 : at+8]); others != 0 {
			return at + bits.TrailingZeros64(others)/8
		}
	}
	for at < len(text) && text[at]-'0' <= 9 {
		at++
	}
	return at
}
