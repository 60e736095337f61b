//go:build amd64 || arm64

package fields

import (
	"math/bits"
	"unsafe"
)

// vector holds the kernels of a vector variant. They call nothing, and each handles a chunk or a
// word of it. The masks of all whole words are set first and the places of their separators listed
// afterwards, because there are too few registers for both at once.
type vector struct {
	// bare sets the masks of all whole words of text, in a dialect in which a quote is an ordinary
	// byte.
	bare func(c *Chunk, text []byte, d Dialect)

	// quoted does so for text with quoting, beginning at word in state s. It stops at the first
	// word in which a byte is out of place, or after the last whole word, and returns that word and
	// the state before it.
	quoted func(c *Chunk, text []byte, d Dialect, word int, s State) (int, State)

	// kinds returns the bytes of each kind in a word, as masks.
	kinds func(p *[64]byte, d Dialect) masks

	// list lists the separators of the first words of text and sets Before.
	list func(c *Chunk, text *byte, words int)

	// sequence is Chunk.sequence, nil if there is none.
	sequence func(order, feeds, delims *uint64, words int)
}

// mark is a Func.
func (v *vector) mark(c *Chunk, text []byte, d Dialect, s State) State {
	c.reset(len(text))
	c.sequence = v.sequence
	whole, full := text[:c.words*64], len(text)/64
	if d.Quoted {
		for word := 0; ; word++ {
			if word, s = v.quoted(c, text, d, word, s); word >= full {
				break
			}
			s = c.odd(word, 64, v.kinds((*[64]byte)(whole[word*64:]), d), s)
		}
	} else {
		v.bare(c, text, d)
		if full > 0 {
			s = stateAfter(c.Delims[full-1]|c.Feeds[full-1], 64)
		}
	}
	if n := len(text) % 64; n != 0 {
		m := v.kinds((*[64]byte)(whole[full*64:]), d)
		if !d.Quoted {
			m.quotes, m.returns = 0, 0
		}
		s = c.tail(full, n, m, s)
	}
	if !c.MasksOnly {
		v.list(c, unsafe.SliceData(text), c.words)
	}
	return s
}

// masks are the bytes of four kinds in a word of text, whether in quotes or not.
type masks struct{ delims, feeds, quotes, returns uint64 }

// tail sets the last word of c, of which n bytes belong to the text, and returns the state after
// them. The bits of m past these may be set.
func (c *Chunk) tail(word, n int, m masks, s State) State {
	valid := uint64(1)<<n - 1
	if m.quotes&valid != 0 || s != AtField && s != InField {
		return c.odd(word, n, m, s)
	}
	delims, feeds := m.delims&valid, m.feeds&valid
	c.Delims[word], c.Feeds[word] = delims, feeds
	return stateAfter(delims|feeds, n)
}

// stateAfter returns the state after the first n bytes of a word outside quotes.
func stateAfter(separators uint64, n int) State {
	if separators>>(n-1)&1 == 1 {
		return AtField
	}
	return InField
}

// odd sets a word of c by reading its first n bytes one by one: if a byte is out of place, counting
// quotes no longer tells which of them open a field. It derives from masks what bytesPlain derives
// from bytes.
func (c *Chunk) odd(word, n int, m masks, s State) State {
	var delims, feeds, bad uint64
	for i := range n {
		bit, kind := uint64(1)<<i, other
		switch {
		case m.quotes&bit != 0:
			kind = quote
		case m.feeds&bit != 0:
			kind = feed
		case m.delims&bit != 0:
			kind = separator
		case m.returns&bit != 0:
			kind = carriage
		}
		var strange bool
		if s, strange = s.after(kind); strange {
			bad |= bit
		}
		switch {
		case s != AtField:
		case kind == feed:
			feeds |= bit
		default:
			delims |= bit
		}
	}
	c.Delims[word], c.Feeds[word], c.Bad[word] = delims, feeds, bad
	c.bad = c.bad || bad != 0
	return s
}

// carry is a State as bits: what a word passes to the next one.
type carry struct {
	inside   uint64 // all ones inside quotes
	fresh    uint64 // one after a separator; the other two likewise
	closed   uint64
	returned uint64
}

func (s State) carry() (k carry) {
	switch s {
	case InQuotes:
		k.inside = 1<<64 - 1
	case AtField:
		k.fresh = 1
	case AfterQuote:
		k.closed = 1
	case AfterReturn:
		k.returned = 1
	}
	return k
}

func (k carry) state() State {
	switch {
	case k.inside != 0:
		return InQuotes
	case k.fresh != 0:
		return AtField
	case k.closed != 0:
		return AfterQuote
	case k.returned != 0:
		return AfterReturn
	}
	return InField
}

// members holds the indexes of the bits set in a byte, and sizes the bytes that these indexes take.
var members, sizes = func() (members [256][8]uint16, sizes [256]uint8) {
	for some := 1; some < len(members); some++ { // those of the bits before the last, and the last
		last := bits.Len(uint(some)) - 1
		before := some &^ (1 << last)
		members[some], sizes[some] = members[before], sizes[before]+2
		members[some][sizes[before]/2] = uint16(last)
	}
	return members, sizes
}()
