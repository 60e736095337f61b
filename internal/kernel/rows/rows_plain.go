package rows

import (
	"bytes"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel"
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
	quotes, feeds, delims := kernel.EqualBits(b, d.Quote), kernel.EqualBits(b, '\n'), kernel.EqualBits(b, d.Delim)
	before, begins := uint64(0), uint64(0)
	switch w.After {
	case fields.InQuotes:
		before = 1<<64 - 1
	case fields.AtField:
		begins = 1
	}
	for range straysMost + 1 {
		inside := kernel.PrefixXor(quotes) ^ before
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
