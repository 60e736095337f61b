package minify

import (
	"bytes"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/minify"
)

// textState is the state at a position in a text: what the bytes before it determine.
//
// A line feed must separate two values. A value directly follows another if nothing, or only white
// space, is between them. In JSON that happens only at the top level, so there is no need to count
// brackets to know where one value ends and the next begins. And in a text that is not JSON,
// words that were separated by white space stay separated.
type textState struct {
	minify.State
	begun  bool // the first value has begun
	value  bool // the last byte that is not white space belongs to a value: no opening bracket, colon or comma
	inWord bool // the previous byte belongs to a value, but not to a bracket or string: in JSON, to a number or literal
	feed   bool // there is a line feed after the last byte that is not white space
}

// lead returns how many bytes of b come before the first value of a text: white space and a
// byte-order mark.
func lead(b []byte) (n int) {
	for n < len(b) && (white(b[n]) || b[n] == 0xef || b[n] == 0xbb || b[n] == 0xbf) {
		n++
	}
	return n
}

// white reports whether a byte is white space in JSON (RFC 8259, section 2).
func white(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// after returns the state after a piece that begins in the state s and ends in the string state
// end. It only reads the few bytes before the end.
func (s textState) after(b []byte, end minify.State) textState {
	begin := s
	s.State, s.inWord = end, false
	if !s.begun {
		if lead(b) == len(b) {
			s.feed = s.feed || bytes.IndexByte(b, '\n') >= 0
			return s
		}
		s.begun = true
	}
	if end.InString {
		s.value, s.feed = true, false
		return s
	}
	n := len(b)
	for n > 0 && white(b[n-1]) {
		n--
	}
	feed := bytes.IndexByte(b[n:], '\n') >= 0
	if n == 0 {
		s.feed = s.feed || feed
		return s
	}
	s.value, s.feed = true, feed
	switch b[n-1] {
	case '{', '[', ':', ',':
		s.value = false
	case '}', ']':
	case '"':
		s.inWord = n == len(b) && begin.escapes(b[:n-1])
	default:
		s.inWord = n == len(b)
	}
	return s
}

// escapes reports whether the byte after a piece that begins in the state s is escaped.
func (s textState) escapes(b []byte) bool {
	slashes := 0
	for slashes < len(b) && b[len(b)-1-slashes] == '\\' {
		slashes++
	}
	return slashes%2 == 1 != (slashes == len(b) && s.Escaped)
}

// boundaries finds the values that directly follow another, block by block.
type boundaries struct {
	open   uint64 // 1 after an opening bracket, colon or comma, or at the start: a value here follows no other
	inWord uint64 // 1 if the previous byte belongs to a number or literal
}

func (s textState) boundaries() (b boundaries) {
	if !s.value {
		b.open = 1
	}
	if s.inWord {
		b.inWord = 1
	}
	return b
}

// of returns the first bytes of these values in the next block. lead marks the bytes before the first
// value of the text.
func (s *boundaries) of(b *jsonscan.Block, lead uint64) (begins uint64) {
	strings := b.Inside | b.Quotes
	white := b.White&^strings | lead
	open := b.Open | b.Colon | b.Comma
	words := ^(strings | white | open | b.Close)
	firsts := words &^ (words<<1 | s.inWord)
	// The addition carries each mark through the white space after it.
	after, carry := bits.Add64(open<<1|s.open, white, 0)
	s.open, s.inWord = carry|open>>63, words>>63
	return (b.Quotes&b.Inside | b.Open | firsts) &^ after
}
