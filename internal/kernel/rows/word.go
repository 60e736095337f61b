//go:build amd64 || arm64

package rows

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
)

// stride is a walk by words. The step of a vector variant loads the fields it needs, continues from
// the next word to the first one that it must leave to odd, or to the last whole one, stores the
// fields, and reports whether there is an odd word. So its loop contains no call, around which
// vectors would have to be saved.
//
// In a word, the quotes outside that open a field are those after a separator and those after a
// closing quote, which open it again. Whatever precedes an outer quote is outside too, so it does
// not matter which of the separators and quotes are outside.
type stride struct {
	at     int    // of the next word
	inside uint64 // all ones within quotes
	opens  bool   // a quote here would open a field, if it is outside
	hidden int    // line feeds within quotes
	lines  int
	quotes uint64

	quoteBits, feedBits, delimBits uint64 // of the word that is left to odd
}

// mayOpen reports whether a quote as the first byte of the word at i, at or after the next word,
// would open a field if it is outside.
func (k *stride) mayOpen(b []byte, i int, d fields.Dialect) bool {
	if i == k.at {
		return k.opens
	}
	c := b[i-1]
	return c == d.Delim || c == '\n' || c == d.Quote
}

// goTo moves to the word at i.
func (k *stride) goTo(b []byte, i int, inside uint64, d fields.Dialect) {
	k.opens = k.mayOpen(b, i, d)
	k.at, k.inside = i, inside
}

// odd walks over the next word from mark to mark. It has a quote that opens nothing, so counting
// quotes does not tell what is inside.
func (k *stride) odd() {
	s, marked := k.state(), 0 // the last mark
	for marks := k.quoteBits | k.feedBits | k.delimBits; marks != 0; marks &= marks - 1 {
		i := bits.TrailingZeros64(marks)
		if i > marked && s == fields.AtField {
			s = fields.InField
		}
		marked = i + 1
		bit := uint64(1) << i
		switch {
		case k.quoteBits&bit != 0 && s == fields.InQuotes:
			s = fields.AtField // another quote here would open the field again
		case k.quoteBits&bit != 0 && s == fields.AtField:
			s = fields.InQuotes
		case k.quoteBits&bit != 0:
		case s != fields.InQuotes:
			s = fields.AtField
		case k.feedBits&bit != 0:
			k.hidden++
		}
	}
	if marked < wordBytes && s == fields.AtField {
		s = fields.InField
	}
	k.quotes = 1
	k.at += wordBytes
	k.set(s)
}

// end walks over the bytes after the last whole word.
func (k *stride) end(b []byte, d fields.Dialect) Walk {
	w := walkPlain(b[k.at:], d, k.state())
	w.Feeds += int64(k.lines - k.hidden)
	w.Lines += int64(k.lines)
	w.Quotes = w.Quotes || k.quotes != 0
	return w
}

func (k *stride) set(s fields.State) {
	k.inside, k.opens = 0, s == fields.AtField
	if s == fields.InQuotes {
		k.inside = 1<<64 - 1
	}
}

// state returns the state at the next word.
func (k *stride) state() fields.State {
	switch {
	case k.inside != 0:
		return fields.InQuotes
	case k.opens:
		return fields.AtField
	}
	return fields.InField
}
