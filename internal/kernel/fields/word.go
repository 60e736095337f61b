package fields

import "math/bits"

// masks are where in a word of text the bytes of four kinds lie, in quotes or not.
type masks struct{ delims, feeds, quotes, returns uint64 }

// carry is a State in bits: what a word leaves to the next one.
type carry struct {
	inside   uint64 // all ones within quotes
	fresh    uint64 // one behind a separator; the others alike
	closed   uint64
	returned uint64
}

func (s State) carry() (k carry) {
	switch {
	case s.inside:
		k.inside = 1<<64 - 1
	case s.last == separator:
		k.fresh = 1
	case s.last == closing:
		k.closed = 1
	case s.last == carriage:
		k.returned = 1
	}
	return k
}

func (k carry) state() State {
	switch {
	case k.inside != 0:
		return State{inside: true, last: ordinary}
	case k.fresh != 0:
		return State{last: separator}
	case k.closed != 0:
		return State{last: closing}
	case k.returned != 0:
		return State{last: carriage}
	}
	return State{last: ordinary}
}

// word sets the word of c that begins at the byte at and has n bytes of the text; masks may
// have bits behind them. It says for a word what markPlain says for a byte.
func (c *Chunk) word(at, n int, m masks, k carry) carry {
	word, top := at/64, uint(n-1)
	valid := uint64(2)<<top - 1
	within := k.inside ^ prefixXor(m.quotes&valid)
	k.inside = -(within >> top & 1)
	delims, feeds := m.delims&valid&^within, m.feeds&valid&^within
	opening, closing := m.quotes&within, m.quotes&^within

	separators := delims | feeds
	behind := closing<<1 | k.closed
	strange := behind &^ (separators | m.quotes) // what should not follow a closing quote
	returned := strange & m.returns
	bad := opening&^(separators<<1|k.fresh|behind) | strange&^returned | (returned<<1|k.returned)&^feeds
	bad &= valid
	k.fresh, k.closed, k.returned = separators>>top&1, closing>>top&1, returned>>top&1

	c.Delims[word], c.Feeds[word], c.Bad[word] = delims, feeds, bad
	c.bad = c.bad || bad != 0
	before := c.Before[word]
	for ; separators != 0; separators &= separators - 1 {
		c.places[before] = uint16(at + bits.TrailingZeros64(separators))
		before++
	}
	c.Before[word+1] = before
	return k
}

// prefixXor returns at each bit the exclusive or of all bits up to it: after the shift by
// 1<<i, a bit stands for the 2<<i places that end there.
func prefixXor(mask uint64) uint64 {
	mask ^= mask << 1
	mask ^= mask << 2
	mask ^= mask << 4
	mask ^= mask << 8
	mask ^= mask << 16
	return mask ^ mask<<32
}
