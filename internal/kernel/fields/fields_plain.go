package fields

import (
	"encoding/binary"
	"math/bits"
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
	delims, feeds, quotes := equalBits(b, d.Delim), equalBits(b, '\n'), uint64(0)
	if d.Quoted {
		quotes = equalBits(b, d.Quote)
	}
	var inside, closed, returned uint64
	if quotes != 0 || s > InField {
		inside = oddBits(quotes)
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
			returned = strange & equalBits(b, '\r')
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

// equalBits returns one set bit for each byte that equals c.
func equalBits(b *[wordBytes]byte, c byte) uint64 {
	every := everyByte * uint64(c)
	return zeroBits(binary.LittleEndian.Uint64(b[0:])^every) |
		zeroBits(binary.LittleEndian.Uint64(b[8:])^every)<<8 |
		zeroBits(binary.LittleEndian.Uint64(b[16:])^every)<<16 |
		zeroBits(binary.LittleEndian.Uint64(b[24:])^every)<<24 |
		zeroBits(binary.LittleEndian.Uint64(b[32:])^every)<<32 |
		zeroBits(binary.LittleEndian.Uint64(b[40:])^every)<<40 |
		zeroBits(binary.LittleEndian.Uint64(b[48:])^every)<<48 |
		zeroBits(binary.LittleEndian.Uint64(b[56:])^every)<<56
}

const everyByte = 0x0101010101010101

// zeroBits returns one set bit for each of eight bytes that is zero. With its highest bit cleared,
// no byte carries into the next when 0x7f is added, and only a zero stays below 0x80. The product
// gathers the highest bits side by side.
func zeroBits(word uint64) uint64 {
	const low, gather = 0x7f * everyByte, 0x0002040810204081
	return ^(word&low + low | word | low) * gather >> 56
}

// oddBits returns at each bit whether the number of bits set up to it is odd: after the shift by
// 1<<i, a bit covers the 2<<i bits that end there.
func oddBits(mask uint64) uint64 {
	mask ^= mask << 1
	mask ^= mask << 2
	mask ^= mask << 4
	mask ^= mask << 8
	mask ^= mask << 16
	return mask ^ mask<<32
}
