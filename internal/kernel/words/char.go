package words

import (
	"sync"
	"unicode"
)

// charBytesMax is the length of the longest character that wc reads: its library decodes UTF-8 as it
// was first defined, up to 31 bits. Such code points are no characters of Unicode, and not printable.
const charBytesMax = 6

// continues reports whether a byte can only be the second or a later one of a character.
func continues(c byte) bool { return c&0xc0 == 0x80 }

// decode returns the code point at the start of b, which begins with a byte that is not ASCII, and
// its length; 0 if there is none: the first byte is then not UTF-8. Overlong forms and surrogates are
// not UTF-8.
func decode(b []byte) (r uint32, n int) {
	var least uint32 // the lowest code point that needs n bytes
	switch c := uint32(b[0]); {
	case c < 0xc2:
		return 0, 0
	case c < 0xe0:
		if len(b) < 2 || !continues(b[1]) {
			return 0, 0
		}
		return c&0x1f<<6 | uint32(b[1]&0x3f), 2
	case c < 0xf0:
		if len(b) < 3 || !continues(b[1]) || !continues(b[2]) {
			return 0, 0
		}
		r = c&0x0f<<12 | uint32(b[1]&0x3f)<<6 | uint32(b[2]&0x3f)
		if r < 0x800 || r&^0x7ff == 0xd800 {
			return 0, 0
		}
		return r, 3
	case c < 0xf8:
		r, n, least = c&0x07, 4, 1<<16
	case c < 0xfc:
		r, n, least = c&0x03, 5, 1<<21
	case c < 0xfe:
		r, n, least = c&0x01, 6, 1<<26
	default:
		return 0, 0
	}
	if len(b) < n {
		return 0, 0
	}
	for _, c := range b[1:n] {
		if !continues(c) {
			return 0, 0
		}
		r = r<<6 | uint32(c&0x3f)
	}
	if r < least {
		return 0, 0
	}
	return r, n
}

// space reports whether a code point is white space to wc, which includes spaces without a break and
// the word joiner.
func space(r uint32) bool {
	switch {
	case r <= 0x20:
		return r == 0x20 || 0x09 <= r && r <= 0x0d
	case r < 0x1680:
		return r == 0xa0
	case 0x2000 <= r && r <= 0x200a:
		return true
	}
	switch r {
	case 0x1680, 0x202f, 0x205f, 0x2060, 0x3000:
		return true
	}
	return false
}

// printables has a bit for every code point below printableBits: whether it is printable and not
// white space. Nearly all characters are there.
type printables [printableBits / 64]uint64

const printableBits = 0x40000

// categories returns those of printable code points. Line and paragraph separators are in none.
func categories() []*unicode.RangeTable {
	return []*unicode.RangeTable{unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs, unicode.Cf, unicode.Co}
}

// printable returns the table. It is made at the first call, from Go's tables of Unicode.
var printable = sync.OnceValue(func() *printables {
	t := new(printables)
	add := func(low, high, step uint32) {
		for r := low; r <= high && r < printableBits; r += step {
			if !space(r) {
				t[r/64] |= 1 << (r % 64)
			}
		}
	}
	for _, c := range categories() {
		for _, r := range c.R16 {
			add(uint32(r.Lo), uint32(r.Hi), uint32(r.Stride))
		}
		for _, r := range c.R32 {
			add(r.Lo, r.Hi, r.Stride)
		}
	}
	return t
})

// has reports whether a code point is printable and not white space.
func (t *printables) has(r uint32) bool {
	if r < printableBits {
		return t[r/64]>>(r%64)&1 != 0
	}
	return r <= unicode.MaxRune && unicode.In(rune(r), categories()...)
}
