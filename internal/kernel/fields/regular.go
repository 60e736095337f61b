package fields

import "math/bits"

// Regular returns how many records end in the text, which begins with a record, and the place after
// the last of them. Ok is false if any of them does not have this number of fields, or if there is a
// byte out of place; the other results then mean nothing.
//
// The delimiters need no places: records are regular if the n-th line feed comes after n times the
// delimiters of a record.
func (c *Chunk) Regular(fields int) (n int, end uint32, ok bool) {
	if c.bad {
		return 0, 0, false
	}
	if c.sequence != nil && fields <= wordBytes && c.areShort() {
		if n, end, ok = c.regularWords(fields); ok {
			return n, end, true
		}
	}
	before, want := 0, 0 // delimiters before the word, and those that should precede the last line feed
	for word, feeds := range c.Feeds[:c.words] {
		delims := c.Delims[word]
		for ; feeds != 0; feeds &= feeds - 1 {
			want += fields - 1
			if before+bits.OnesCount64(delims&(feeds&-feeds-1)) != want {
				return 0, 0, false
			}
			n++
			end = uint32(word*wordBytes+bits.TrailingZeros64(feeds)) + 1
		}
		before += bits.OnesCount64(delims)
	}
	return n, end, true
}

// areShort reports whether most records at the beginning end in the word where they begin or the next. For
// longer ones there is less to do for each record than for each word.
func (c *Chunk) areShort() bool {
	const words = 16
	feeds := 0
	for _, f := range c.Feeds[:words] {
		feeds += bits.OnesCount64(f)
	}
	return feeds >= words/2
}

// regularWords is Regular for up to 64 fields, a word at a time: of the separators of all words, in their
// order, every so many is a line feed. It is also not ok if only the record after the last one has too
// many delimiters.
func (c *Chunk) regularWords(fields int) (n int, end uint32, ok bool) {
	c.sequence(&c.order[0], &c.Feeds[0], &c.Delims[0], c.words)
	// The order of 128 separators from the beginning of a record on. From within a record it is that
	// order from a later bit on.
	var low, high uint64
	for i := fields - 1; i < 128; i += fields {
		if i < 64 {
			low |= 1 << i
		} else {
			high |= 1 << (i - 64)
		}
	}
	inverse := uint32(1<<16/fields + 1) // for a division of up to 128
	phase, last := uint32(0), -1        // separators of the record so far; the last word with a line feed
	for word, feeds := range c.Feeds[:c.words] {
		separators := uint32(bits.OnesCount64(feeds | c.Delims[word]))
		want := (low>>phase | high<<(64-phase)) & (1<<separators - 1)
		if c.order[word] != want {
			return 0, 0, false
		}
		phase += separators
		records := phase * inverse >> 16
		phase -= records * uint32(fields)
		if n += int(records); feeds != 0 {
			last = word
		}
	}
	if last >= 0 {
		end = uint32(last*wordBytes + 64 - bits.LeadingZeros64(c.Feeds[last]))
	}
	return n, end, true
}
