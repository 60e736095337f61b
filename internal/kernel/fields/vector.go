//go:build amd64 || arm64

package fields

// vector is what a vector variant is made of: kernels that call nothing, each for a chunk or a
// word of it. They set the masks of all whole words first and then list the places of their
// separators, as there are not registers enough for both at once.
type vector struct {
	// bare sets the masks of all whole words of text in which a quote is a byte like all others.
	bare func(c *Chunk, text []byte, d Dialect)

	// quoted does so for text with quoting, from a word on, behind s. It stops at the first word
	// in which a byte is out of place, or behind the last whole one, and returns that word and
	// the state before it.
	quoted func(c *Chunk, text []byte, d Dialect, word int, s State) (int, State)

	// kinds returns where the bytes of each kind are in a word.
	kinds func(p *[64]byte, d Dialect) masks

	// list lists the separators of the first words and sets Before.
	list func(c *Chunk, words int)
}

// mark is a Func.
func (v *vector) mark(c *Chunk, text []byte, d Dialect, s State) State {
	c.reset(len(text))
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
	v.list(c, c.words)
	return s
}

// masks are where in a word of text the bytes of four kinds lie, in quotes or not.
type masks struct{ delims, feeds, quotes, returns uint64 }

// tail sets the last word of c, of which n bytes belong to the text, and returns the state behind
// them. masks may have bits behind them.
func (c *Chunk) tail(word, n int, m masks, s State) State {
	valid := uint64(1)<<n - 1
	if m.quotes&valid != 0 || s != AtField && s != InField {
		return c.odd(word, n, m, s)
	}
	delims, feeds := m.delims&valid, m.feeds&valid
	c.Delims[word], c.Feeds[word] = delims, feeds
	return stateAfter(delims|feeds, n)
}

// stateAfter returns the state outside of quotes behind the first n bytes of a word.
func stateAfter(separators uint64, n int) State {
	if separators>>(n-1)&1 == 1 {
		return AtField
	}
	return InField
}

// odd sets a word of c, going through its first n bytes one by one: where a byte is out of
// place, counting quotes does not tell any more which of them open a field. It says from masks
// what markPlain says from bytes.
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
		if s, strange = s.behind(kind); strange {
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

// carry is a State in bits: what a word leaves to the next one.
type carry struct {
	inside   uint64 // all ones within quotes
	fresh    uint64 // one behind a separator; the others alike
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

// members are the numbers of the bits that a byte has, and sizes the bytes that they take.
var members, sizes = func() (members [256][8]uint16, sizes [256]uint8) {
	for some := range members {
		for bit := range 8 {
			if some>>bit&1 == 1 {
				members[some][sizes[some]/2] = uint16(bit)
				sizes[some] += 2
			}
		}
	}
	return members, sizes
}()
