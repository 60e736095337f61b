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
		var bad bool
		if s, bad = d.Next(s, b); bad {
			c.Bad[word] |= bit
			c.bad = true
		}
		if s != AtField {
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
