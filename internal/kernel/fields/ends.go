package fields

import "math/bits"

// Ends sets ends to the places of the line feeds outside quotes at or after from, in ascending
// order, until it is full, and returns how many there are. The rest of ends may be overwritten. It
// is fastest if from is the beginning of a record.
//
// If consecutive records have the same number of fields, their ends are equally spaced in the list
// of places. That is verified: these places must be line feeds, and there must be no others in
// between. If records often differ, each finds the
// rest.
func (c *Chunk) Ends(from uint32, ends []uint32) int {
	if c.fields > 0 {
		return c.equal(from, ends)
	}
	const longRecords, differMax = 8, 4
	n := 0
	for differ := 0; differ < differMax && n < len(ends); {
		run := c.alike(from, ends[n:])
		if run == 0 {
			return n
		}
		if n += run; run < longRecords {
			differ++
		}
		from = ends[n-1] + 1
	}
	return n + c.each(from, ends[n:])
}

// equal does the work of Ends if all records have c.fields fields: then every so many separators, one is a line feed.
func (c *Chunk) equal(from uint32, ends []uint32) int {
	first := c.rank(from)
	before := first / c.fields // records that end before from
	n := min(len(ends), c.ending-before)
	if n <= 0 {
		return 0
	}
	at := uint(before*c.fields + c.fields - 1)
	done := 0
	if c.fields == 2 {
		done = pairEndsAVX512(c, at, ends[:n])
		at += uint(2 * done)
	}
	for i := done; i < n; i++ {
		ends[i] = uint32(c.places[at%ChunkBytes])
		at += uint(c.fields)
	}
	if first == before*c.fields { // from is the beginning of a record
		c.known = stretch{first, c.fields, n, ends[n-1]}
	}
	return n
}

// alike sets ends to the first line feed at or after from and to those of the following records
// with the same number of fields. It returns how many there are.
func (c *Chunk) alike(from uint32, ends []uint32) int {
	if c.each(from, ends[:1]) == 0 {
		return 0
	}
	first := c.rank(from)
	fields := c.rank(ends[0]) + 1 - first
	places := c.listed()
	n, at := 1, uint(first+2*fields-1)
	for n < len(ends) && at < uint(len(places)) {
		place := uint32(places[at])
		if c.Feeds[place/64%(ChunkBytes/64)]>>(place%64)&1 == 0 {
			break
		}
		ends[n] = place
		at += uint(fields)
		n++
	}
	if c.feeds(from, ends[n-1]) != n-1 {
		return 1
	}
	c.known = stretch{first, fields, n, ends[n-1]}
	return n
}

// feeds returns how many line feeds outside quotes are in [from, to).
func (c *Chunk) feeds(from, to uint32) int {
	first, last := from/64, to/64
	n := -bits.OnesCount64(c.Feeds[first] & (1<<(from%64) - 1))
	for _, feeds := range c.Feeds[first:last] {
		n += bits.OnesCount64(feeds)
	}
	return n + bits.OnesCount64(c.Feeds[last]&(1<<(to%64)-1))
}

// SetFeeds makes c a text of a length whose line feeds are stored by find, a bit for each byte. Only FeedsFrom may be
// called then.
func (c *Chunk) SetFeeds(bytes int, find func(words []uint64)) {
	c.words = (bytes + wordBytes - 1) / wordBytes
	find(c.Feeds[:c.words])
}

// FeedsFrom is Ends for records of which no field is asked for. It needs the masks only.
func (c *Chunk) FeedsFrom(from uint32, ends []uint32) int { return c.each(from, ends) }

// each does the work of Ends one line feed at a time. The number of line feeds in a word is
// unpredictable for the processor. So instead of branching on it, each always writes the place of
// one, whether there is one or not, and the places of eight if there are several.
func (c *Chunk) each(from uint32, ends []uint32) int {
	const several = 8
	n, word := 0, uint(from/64)
	if word >= uint(c.words) {
		return 0
	}
	feeds := c.Feeds[word] &^ (1<<(from%64) - 1)
	for n+several <= len(ends) {
		base := uint32(word) * 64
		count := bits.OnesCount64(feeds)
		place := ends[n:][:several:several]
		place[0] = base + uint32(bits.TrailingZeros64(feeds))
		if count > 1 {
			for i := 1; i < several; i++ {
				feeds &= feeds - 1
				place[i] = base + uint32(bits.TrailingZeros64(feeds))
			}
			if count > several {
				feeds &= feeds - 1
				n += several
				continue
			}
		}
		n += count
		if word++; word >= uint(c.words) {
			return n
		}
		feeds = c.Feeds[word]
	}
	for n < len(ends) {
		for ; feeds == 0; feeds = c.Feeds[word] {
			if word++; word >= uint(c.words) {
				return n
			}
		}
		ends[n] = uint32(word)*64 + uint32(bits.TrailingZeros64(feeds))
		feeds &= feeds - 1
		n++
	}
	return n
}

// Stops sets stops[i] to where the text of record i ends: before the carriage return if one
// precedes the line feed at ends[i]. The first record begins at begin.
func Stops(text []byte, begin uint32, ends, stops []uint32) {
	stops = stops[:len(ends)]
	for i, end := range ends {
		if i == 0 && end == begin {
			stops[i] = end // the byte before the first record is not its own
			continue
		}
		stops[i] = end
		if text[end-1] == '\r' { // for an empty record this byte is the line feed before it
			stops[i] = end - 1
		}
	}
}
