package literals

import (
	"unicode"
	"unicode/utf8"
)

// Runes that differ in case only make up an orbit, which unicode.SimpleFold goes round: k, K
// and the sign for kelvin. The lowest of an orbit stands for all of it.

// lowest returns the lowest rune of an orbit.
func lowest(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

// canonicalByte holds what stands for each byte below 0x80.
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

// canonicalRune puts what stands for the rune that b begins with into to. It returns how
// many bytes that is, 0 where b begins with no valid rune, and how many the rune has.
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

// orbit calls use with each rune that differs from r in case only, and with r.
func orbit(r rune, use func(rune)) {
	use(r)
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		use(f)
	}
}

// runeLengths returns the bytes of the shortest and the longest rune of an orbit.
func runeLengths(r rune) (shortest, longest int) {
	shortest = utf8.UTFMax
	orbit(r, func(f rune) {
		shortest, longest = min(shortest, utf8.RuneLen(f)), max(longest, utf8.RuneLen(f))
	})
	return shortest, longest
}
