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
	word, top := at/64, uint(n-1)%64
	valid := uint64(2)<<top - 1
	delims, feeds, quotes, bad := m.delims&valid, m.feeds&valid, m.quotes&valid, uint64(0)
	separators := delims | feeds
	if quotes|k.inside|k.closed|k.returned != 0 {
		within := k.inside ^ prefixXor(quotes)
		k.inside = -(within >> top & 1)
		delims, feeds, separators = delims&^within, feeds&^within, separators&^within
		opening, closing := quotes&within, quotes&^within
		behind := closing<<1 | k.closed
		strange := behind &^ (separators | quotes) // what should not follow a closing quote
		returned := strange & m.returns
		bad = opening&^(separators<<1|k.fresh|behind) | strange&^returned | (returned<<1|k.returned)&^feeds
		bad &= valid
		k.closed, k.returned = closing>>top&1, returned>>top&1
		c.bad = c.bad || bad != 0
	}
	k.fresh = separators >> top & 1
	c.Delims[word], c.Feeds[word], c.Bad[word] = delims, feeds, bad

	// The list is no longer than the text before, so that 64 places fit behind it, and
	// the many that are not there may be written too.
	const several = 8
	before, count := c.Before[word], bits.OnesCount64(separators)
	for places := c.places[before:]; ; places = places[several:] {
		for i := range several {
			places[:several][i] = uint16(at + bits.TrailingZeros64(separators))
			separators &= separators - 1
		}
		if separators == 0 {
			break
		}
	}
	c.Before[word+1] = before + uint32(count)
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
