package fields

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// markPlain handles words of text by their bits. It reads the last, short word byte by byte, and
// also any word in which a byte is out of place.
func markPlain(c *Chunk, text []byte, d Dialect, s State) State {
	c.reset(len(text))
	listed := uint32(0)
	for word := range c.words {
		b, ok := text[word*wordBytes:], false
		if len(b) >= wordBytes {
			b = b[:wordBytes]
			s, ok = c.wordPlain(word, (*[wordBytes]byte)(b), d, s)
		}
		if !ok {
			s = c.bytesPlain(word, b, d, s)
		}
		if c.MasksOnly {
			continue
		}
		c.Before[word] = listed
		for marks := c.Delims[word] | c.Feeds[word]; marks != 0; marks &= marks - 1 {
			c.places[listed] = uint16(word*wordBytes + bits.TrailingZeros64(marks))
			listed++
		}
	}
	if !c.MasksOnly {
		c.Before[c.words] = listed
	}
	return s
}

// bytesPlain sets one word of the masks byte by byte, by the rules of the dialect.
func (c *Chunk) bytesPlain(word int, b []byte, d Dialect, s State) State {
	c.Delims[word], c.Feeds[word] = 0, 0
	for i, char := range b {
		bit, bad := uint64(1)<<i, false
		if s, bad = d.Next(s, char); bad {
			c.Bad[word] |= bit
			c.bad = true
		}
		switch {
		case s != AtField:
		case char == '\n':
			c.Feeds[word] |= bit
		default:
			c.Delims[word] |= bit
		}
	}
	return s
}

// wordBytes is how many bytes a word of the masks describes.
const wordBytes = 64

// wordPlain sets one word of the masks, unless a byte is out of place. Then it returns s and false,
// because counting quotes no longer tells what is inside.
func (c *Chunk) wordPlain(word int, b *[wordBytes]byte, d Dialect, s State) (next State, ok bool) {
	delims, feeds, quotes := kernel.EqualBits(b, d.Delim), kernel.EqualBits(b, '\n'), uint64(0)
	if d.Quoted {
		quotes = kernel.EqualBits(b, d.Quote)
	}
	var inside, closed, returned uint64
	if quotes != 0 || s > InField {
		inside = kernel.PrefixXor(quotes)
		if s == InQuotes {
			inside = ^inside
		}
		delims &^= inside
		feeds &^= inside
		closed = quotes &^ inside
		afterQuote := closed<<1 | s.bit(AfterQuote)
		begins := (delims|feeds)<<1 | s.bit(AtField) | afterQuote
		strange := afterQuote &^ (delims | feeds | quotes) // after a closing quote
		if strange != 0 {
			returned = strange & kernel.EqualBits(b, '\r')
		}
		afterReturn := returned<<1 | s.bit(AfterReturn)
		if quotes&inside&^begins|strange&^returned|afterReturn&^feeds != 0 {
			return s, false
		}
	}
	c.Delims[word], c.Feeds[word] = delims, feeds
	const last = 1 << (wordBytes - 1)
	switch {
	case inside&last != 0:
		return InQuotes, true
	case (delims|feeds)&last != 0:
		return AtField, true
	case closed&last != 0:
		return AfterQuote, true
	case returned&last != 0:
		return AfterReturn, true
	}
	return InField, true
}

// bit returns 1 if s is this state, else 0.
func (s State) bit(state State) uint64 {
	if s == state {
		return 1
	}
	return 0
}
