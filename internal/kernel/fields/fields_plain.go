package fields

// markPlain looks at one byte after the other.
func markPlain(c *Chunk, text []byte, d Dialect, s State) State {
	c.reset(len(text))
	clear(c.Delims[:])
	clear(c.Feeds[:])
	separators := uint32(0)
	for i, b := range text {
		word, bit := i/64, uint64(1)<<(i%64)
		if i%64 == 0 {
			c.Before[word] = separators
		}
		var kind last
		var bad bool
		if kind, bad, s.inside = d.step(b, s); bad {
			c.Bad[word] |= bit
			c.bad = true
		}
		s.last = kind
		if kind != separator {
			continue
		}
		c.places[separators] = uint16(i)
		separators++
		if b == '\n' {
			c.Feeds[word] |= bit
		} else {
			c.Delims[word] |= bit
		}
	}
	c.Before[c.words] = separators
	return s
}

// step defines the dialect: what b is behind a text that ends with s, whether it is out
// of place there, and whether what follows is within quotes.
func (d Dialect) step(b byte, s State) (kind last, bad, inside bool) {
	switch {
	case d.Quoted && b == d.Quote:
		if s.inside {
			return closing, false, false
		}
		return ordinary, s.last != separator && s.last != closing, true
	case s.inside:
		return ordinary, false, true
	case b == '\n':
		return separator, false, false
	case b == d.Delim:
		return separator, s.last == carriage, false
	case b == '\r' && s.last == closing:
		return carriage, false, false
	}
	return ordinary, s.last == closing || s.last == carriage, false
}
