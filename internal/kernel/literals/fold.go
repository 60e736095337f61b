package literals

import (
	"unicode"
	"unicode/utf8"
)

// Runes that differ only in case form an orbit, through which unicode.SimpleFold cycles: k, K and
// the Kelvin sign. The lowest rune of an orbit represents it: it is canonical.

// lowest returns the lowest rune of the orbit of r.
func lowest(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

// canonicalByte holds the canonical byte of each byte below 0x80.
var canonicalByte = func() (table [utf8.RuneSelf]byte) {
	for i := range table {
		table[i] = byte(lowest(rune(i)))
	}
	return table
}()

// canonical replaces each rune of valid UTF-8 by the lowest of its orbit.
func canonical(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range string(text) {
		out = utf8.AppendRune(out, lowest(r))
	}
	return out
}

// canonicalRune writes the canonical form of the first rune of b to to. It returns the length of
// that form, 0 if b does not begin with a valid rune, and the length of the rune in b.
func canonicalRune(b []byte, to *[utf8.UTFMax]byte) (n, size int) {
	if c := b[0]; c < utf8.RuneSelf {
		to[0] = canonicalByte[c]
		return 1, 1
	}
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size == 1 {
		return 0, 1
	}
	return utf8.EncodeRune(to[:], lowest(r)), size
}

// orbit calls use with r and with each rune that differs from r only in case.
func orbit(r rune, use func(rune)) {
	use(r)
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		use(f)
	}
}

// runeLengths returns the lengths in bytes of the shortest and the longest rune of an orbit.
func runeLengths(r rune) (shortest, longest int) {
	shortest = utf8.UTFMax
	orbit(r, func(f rune) {
		shortest, longest = min(shortest, utf8.RuneLen(f)), max(longest, utf8.RuneLen(f))
	})
	return shortest, longest
}
