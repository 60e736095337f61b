package rows

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
)

// walkPlain counts line feeds up to the next quote. It handles words with quotes by their bits, as
// the vector variants do, and the rest byte by byte.
func walkPlain(b []byte, d fields.Dialect, s fields.State) Walk {
	w := Walk{After: s}
	for len(b) >= wordBytes {
		n := bytes.IndexByte(b, d.Quote)
		if n < 0 {
			n = len(b)
		}
		if n >= wordBytes {
			w.bare(b[:n], d)
		} else {
			n = wordBytes
			w.word((*[wordBytes]byte)(b), d)
		}
		b = b[n:]
	}
	w.bytes(b, d)
	return w
}

// bytes walks byte by byte; it defines what is right.
func (w *Walk) bytes(b []byte, d fields.Dialect) {
	s := w.After
	for _, c := range b {
		switch {
		case c == d.Quote:
			w.Quotes = true
			switch s {
			case fields.InQuotes:
				s = fields.AtField // another quote here would open the field again
			case fields.AtField:
				s = fields.InQuotes
			}
		case c == '\n':
			w.Lines++
			if s != fields.InQuotes {
				w.Feeds++
				s = fields.AtField
			}
		case s == fields.InQuotes:
		case c == d.Delim:
			s = fields.AtField
		default:
			s = fields.InField
		}
	}
	w.After = s
}

// bare walks over b, at least one byte, which holds no quote.
func (w *Walk) bare(b []byte, d fields.Dialect) {
	lines := int64(bytes.Count(b, []byte{'\n'}))
	w.Lines += lines
	if w.After == fields.InQuotes {
		return
	}
	w.Feeds += lines
	w.After = fields.InField
	if last := b[len(b)-1]; last == d.Delim || last == '\n' {
		w.After = fields.AtField
	}
}

// word walks over a word that has a quote. If every quote outside opens a field, a place is inside
// if the number of quotes up to it is odd. The first quote that opens none means nothing, and
// without it the next ones are right again; too many of those are not worth it.
func (w *Walk) word(b *[wordBytes]byte, d fields.Dialect) {
	const straysMost, last = 4, 1 << (wordBytes - 1)
	quotes, feeds, delims := equalBits(b, d.Quote), equalBits(b, '\n'), equalBits(b, d.Delim)
	before, begins := uint64(0), uint64(0)
	switch w.After {
	case fields.InQuotes:
		before = 1<<64 - 1
	case fields.AtField:
		begins = 1
	}
	for range straysMost + 1 {
		inside := oddBits(quotes) ^ before
		marks := quotes | feeds | delims
		stray := quotes & inside &^ (marks<<1 | begins)
		if stray != 0 {
			quotes ^= stray & -stray
			continue
		}
		w.Quotes = true
		w.Lines += int64(bits.OnesCount64(feeds))
		w.Feeds += int64(bits.OnesCount64(feeds &^ inside))
		switch {
		case inside&last != 0:
			w.After = fields.InQuotes
		case marks&last != 0:
			w.After = fields.AtField
		default:
			w.After = fields.InField
		}
		return
	}
	w.bytes(b[:], d)
}

// equalBits returns one set bit for each byte that equals c.
func equalBits(b *[wordBytes]byte, c byte) uint64 {
	every := everyByte * uint64(c)
	return zeroBits(binary.LittleEndian.Uint64(b[0:])^every) |
		zeroBits(binary.LittleEndian.Uint64(b[8:])^every)<<8 |
		zeroBits(binary.LittleEndian.Uint64(b[16:])^every)<<16 |
		zeroBits(binary.LittleEndian.Uint64(b[24:])^every)<<24 |
		zeroBits(binary.LittleEndian.Uint64(b[32:])^every)<<32 |
		zeroBits(binary.LittleEndian.Uint64(b[40:])^every)<<40 |
		zeroBits(binary.LittleEndian.Uint64(b[48:])^every)<<48 |
		zeroBits(binary.LittleEndian.Uint64(b[56:])^every)<<56
}

const everyByte = 0x0101010101010101

// zeroBits returns one set bit for each of eight bytes that is zero. With its highest bit cleared,
// no byte carries into the next when 0x7f is added, and only a zero stays below 0x80. The product
// gathers the highest bits side by side.
func zeroBits(word uint64) uint64 {
	const low, gather = 0x7f * everyByte, 0x0002040810204081
	return ^(word&low + low | word | low) * gather >> 56
}

// oddBits returns at each bit whether the number of bits set up to it is odd: after the shift by
// 1<<i, a bit covers the 2<<i bits that end there.
func oddBits(mask uint64) uint64 {
	mask ^= mask << 1
	mask ^= mask << 2
	mask ^= mask << 4
	mask ^= mask << 8
	mask ^= mask << 16
	return mask ^ mask<<32
}
