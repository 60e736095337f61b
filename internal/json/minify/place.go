package minify

import (
	"bytes"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/minify"
)

// place is what a place in a text inherits from the bytes before it.
//
// A line feed is to stand between two values. A value follows directly on another where its first
// byte follows on the last byte of that, with or without white space between: in JSON, only at the
// top. So no brackets need to be counted to know where one value ends and the next begins. And in
// what is not JSON, words that white space kept apart stay apart.
type place struct {
	minify.State
	begun  bool // a value has begun somewhere before
	value  bool // the last byte that is not white space is of a value: no opening bracket, colon or comma
	inWord bool // the byte before is of a value and neither a bracket nor of a string
	feed   bool // a line feed has been since the last byte that is not white space
}

// lead returns how much of b stands before the first value of a text, of which nothing has begun
// yet: white space, and a byte-order mark.
func lead(b []byte) (n int) {
	for n < len(b) && (white(b[n]) || b[n] == 0xef || b[n] == 0xbb || b[n] == 0xbf) {
		n++
	}
	return n
}

// white reports whether a byte is white space to JSON (RFC 8259, section 2).
func white(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// behind returns the place behind a piece that begins at p and ends in a state. It looks at few
// bytes before the end.
func (p place) behind(b []byte, end minify.State) place {
	begin := p
	p.State, p.inWord = end, false
	if !p.begun {
		if lead(b) == len(b) {
			p.feed = p.feed || bytes.IndexByte(b, '\n') >= 0
			return p
		}
		p.begun = true
	}
	if end.InString {
		p.value, p.feed = true, false
		return p
	}
	n := len(b)
	for n > 0 && white(b[n-1]) {
		n--
	}
	feed := bytes.IndexByte(b[n:], '\n') >= 0
	if n == 0 {
		p.feed = p.feed || feed
		return p
	}
	p.value, p.feed = true, feed
	switch b[n-1] {
	case '{', '[', ':', ',':
		p.value = false
	case '}', ']':
	case '"':
		p.inWord = n == len(b) && begin.escapes(b[:n-1])
	default:
		p.inWord = n == len(b)
	}
	return p
}

// escapes reports whether the byte behind a piece that begins at p is escaped.
func (p place) escapes(b []byte) bool {
	slashes := 0
	for slashes < len(b) && b[len(b)-1-slashes] == '\\' {
		slashes++
	}
	return slashes%2 == 1 != (slashes == len(b) && p.Escaped)
}

// bounds finds the values that directly follow another, block by block.
type bounds struct {
	open   uint64 // 1 where a value may begin: behind an opening bracket, a colon or comma, or nothing
	inWord uint64 // 1 where the byte before is of a number or literal
}

func (p place) bounds() (b bounds) {
	if !p.value {
		b.open = 1
	}
	if p.inWord {
		b.inWord = 1
	}
	return b
}

// of returns the bytes of the next block that begin such a value. Lead is bytes before the first
// value of the text.
func (s *bounds) of(b *jsonscan.Block, lead uint64) (begins uint64) {
	strings := b.Inside | b.Quotes
	white := b.White&^strings | lead
	open := b.Open | b.Colon | b.Comma
	words := ^(strings | white | open | b.Close)
	firsts := words &^ (words<<1 | s.inWord)
	// Adding carries each mark through the white space behind it.
	after, carry := bits.Add64(open<<1|s.open, white, 0)
	s.open, s.inWord = carry|open>>63, words>>63
	return (b.Quotes&b.Inside | b.Open | firsts) &^ after
}
