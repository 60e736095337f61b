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
