package rows

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
)

// walkPlain counts line feeds up to the next quote, and takes words with quotes by their bits,
// as the vector forms do. What is behind the last whole word is left to walkBytes.
func walkPlain(b []byte, d fields.Dialect, s fields.State) Walk {
	w := Walk{Behind: s}
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

// bytes goes on by one byte after the other: it defines what is right.
func (w *Walk) bytes(b []byte, d fields.Dialect) {
	s := w.Behind
	for _, c := range b {
		switch {
		case c == d.Quote:
			w.Quotes = true
			switch s {
			case fields.InQuotes:
				s = fields.AtField // where another one opens the field again
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
	w.Behind = s
}

// bare goes on by bytes without a quote, of which there is at least one.
func (w *Walk) bare(b []byte, d fields.Dialect) {
	lines := int64(bytes.Count(b, []byte{'\n'}))
	w.Lines += lines
	if w.Behind == fields.InQuotes {
		return
	}
	w.Feeds += lines
	w.Behind = fields.InField
	if last := b[len(b)-1]; last == d.Delim || last == '\n' {
		w.Behind = fields.AtField
	}
}

// word goes on by a word that has a quote. If each quote outside of quotes opens a field, a
// place is inside where the number of quotes up to it is odd. The first that opens none means
// nothing, and without it the next ones are right; where there are many it is not worth it.
func (w *Walk) word(b *[wordBytes]byte, d fields.Dialect) {
	const straysMost, last = 4, 1 << (wordBytes - 1)
	quotes, feeds, delims := equalBits(b, d.Quote), equalBits(b, '\n'), equalBits(b, d.Delim)
	before, begins := uint64(0), uint64(0)
	switch w.Behind {
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
			w.Behind = fields.InQuotes
		case marks&last != 0:
			w.Behind = fields.AtField
		default:
			w.Behind = fields.InField
		}
		return
	}
	w.bytes(b[:], d)
}

// equalBits returns a bit for each byte that is c.
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

// zeroBits returns a bit for each of eight bytes that is zero. Without its highest bit no byte
// carries to the next when 0x7f is added, and only a zero does not reach 0x80. The product
// puts these highest bits side by side.
func zeroBits(word uint64) uint64 {
	const low, gather = 0x7f * everyByte, 0x0002040810204081
	return ^(word&low + low | word | low) * gather >> 56
}

// oddBits returns at each bit whether the bits up to it are odd in number: after the shift by
// 1<<i, a bit stands for the 2<<i places that end there.
func oddBits(mask uint64) uint64 {
	mask ^= mask << 1
	mask ^= mask << 2
	mask ^= mask << 4
	mask ^= mask << 8
	mask ^= mask << 16
	return mask ^ mask<<32
}
