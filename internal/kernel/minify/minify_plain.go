package minify

import (
	"encoding/binary"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel"
)

var plain = Kernel{Summarize: summarizePlain, Minify: minifyPlain, Compress: compressPlain}

// wordBytes is how many bytes are handled together.
const wordBytes, wordMask = 8, 1<<8 - 1

// kinds holds the kind of each byte: a bit each for a quote, a backslash and white space (RFC 8259,
// section 2). If the kinds of eight bytes are shifted by the index of the byte and ored, each byte
// of the result is the mask of one kind.
var kinds = func() (kinds [256]uint32) {
	for kind, bytes := range [...]string{quoteShift / 8: `"`, slashShift / 8: `\`, whiteShift / 8: " \n\r\t"} {
		for _, c := range []byte(bytes) {
			kinds[c] = 1 << (8 * kind)
		}
	}
	return kinds
}()

const quoteShift, slashShift, whiteShift = 0, 8, 16

// white reports whether a byte is white space to JSON.
func white(c byte) bool { return kinds[c]>>whiteShift != 0 }

// kindsOf returns the masks of eight bytes.
func kindsOf(b *[wordBytes]byte) uint32 {
	return kinds[b[0]] | kinds[b[1]]<<1 | kinds[b[2]]<<2 | kinds[b[3]]<<3 |
		kinds[b[4]]<<4 | kinds[b[5]]<<5 | kinds[b[6]]<<6 | kinds[b[7]]<<7
}

// over processes eight bytes. It returns the masks of those that are white space and of those in a
// string, which are those with an odd number of quotes up to them.
func (w *walk) over(b *[wordBytes]byte) (whites, inside uint64) {
	all := uint64(kindsOf(b))
	quotes, slashes := all>>quoteShift&wordMask, all>>slashShift&wordMask
	if slashes|w.escaped != 0 {
		escaped, _ := kernel.Escapes(slashes, w.escaped)
		quotes &^= escaped
		w.escaped = escaped >> wordBytes // for the byte after these eight
	}
	inside = quotes ^ quotes<<1
	inside ^= inside << 2
	inside ^= inside << 4
	inside ^= w.inside
	w.inside = -(inside >> (wordBytes - 1) & 1)
	return all >> whiteShift, inside
}

// minifyPlain uses masks to find the bytes to keep of each eight.
func minifyPlain(dst, src []byte, begin State) (n int, end State) {
	w, i := walkFrom(begin), 0
	for ; i+wordBytes <= len(src); i += wordBytes {
		word := (*[wordBytes]byte)(src[i:])
		whites, inside := w.over(word)
		n += keep((*[wordBytes]byte)(dst[n:]), word, uint8(^whites|inside))
	}
	at := w.state()
	for _, c := range src[i:] {
		if at.InString || !white(c) {
			dst[n] = c
			n++
		}
		at = at.after(c)
	}
	return n, at
}

// after returns the state after a byte.
func (s State) after(c byte) State {
	switch {
	case s.Escaped:
		s.Escaped = false
	case c == '\\':
		s.Escaped = true
	case c == '"':
		s.InString = !s.InString
	}
	return s
}

// moves holds masks of the bytes of a word to keep, and of those that move down by one byte, by two
// and by four, to fill the places of removed bytes before them.
type moves struct{ stay, by1, by2, by4 uint64 }

// movesOf is indexed by the mask of the bytes to keep. An entry is that of the mask without the
// last byte, and the moves of that byte: a start of the program fills the table.
var movesOf = func() (all [1 << wordBytes]moves) {
	for mask := 1; mask < len(all); mask++ {
		last := bits.Len(uint(mask)) - 1
		before := mask &^ (1 << last)
		gone := uint64(last - bits.OnesCount(uint(before)))
		m, from := all[before], uint64(0xff)<<(8*last)
		m.stay |= from
		m.by1 |= from * (gone & 1)
		from >>= 8 * (gone & 1)
		m.by2 |= from * (gone >> 1 & 1)
		from >>= 16 * (gone >> 1 & 1)
		m.by4 |= from * (gone >> 2)
		all[mask] = m
	}
	return all
}()

// keep writes the bytes of src for which the mask has a bit to dst, which may be the same or begin
// before it, and returns their number. It has no branch, since branches here would be
// unpredictable.
func keep(dst, src *[wordBytes]byte, mask uint8) int {
	m := &movesOf[mask]
	word := binary.LittleEndian.Uint64(src[:]) & m.stay
	moving := word & m.by1
	word = word ^ moving | moving>>8
	moving = word & m.by2
	word = word ^ moving | moving>>16
	moving = word & m.by4
	word = word ^ moving | moving>>32
	binary.LittleEndian.PutUint64(dst[:], word)
	return bits.OnesCount8(mask)
}

// summarizePlain follows both possible beginnings, outside and in a string. They are always
// opposite: white space that one keeps the other removes.
func summarizePlain(b []byte) (s Summary) {
	s.setPlain(b)
	return s
}

// setPlain is summarizePlain with the result in place: for a few bytes, copying a Summary takes
// half as long as the work.
func (s *Summary) setPlain(b []byte) {
	var w walk
	all, outside, i := 0, 0, 0
	for ; i+wordBytes <= len(b); i += wordBytes {
		whites, inside := w.over((*[wordBytes]byte)(b[i:]))
		all += bits.OnesCount64(whites)
		outside += bits.OnesCount64(whites &^ inside)
	}
	at := w.state()
	for _, c := range b[i:] {
		if white(c) {
			all++
			if !at.InString {
				outside++
			}
		}
		at = at.after(c)
	}
	*s = walkFrom(at).summary(b, all, outside)
}

// compressPlain handles eight bytes and bits at a time.
func compressPlain(dst, src []byte, keeps []uint64) (n int) {
	for i, mask := range keeps {
		block := (*[blockBytes]byte)(src[i*blockBytes:])
		for at := 0; at < blockBytes; at += wordBytes {
			n += keep((*[wordBytes]byte)(dst[n:]), (*[wordBytes]byte)(block[at:]), uint8(mask>>at))
		}
	}
	return n
}
