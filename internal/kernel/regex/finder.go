package regex

import (
	"bytes"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// finder finds places where a match may be: those of a literal or of a pair. It is
// immutable.
type finder struct {
	literal     []byte
	pair        *pair
	search      kernel.Variant[pairFunc]
	lengthBytes int // how far behind its start a candidate reaches
}

func newLiteralFinder(s []byte) finder { return finder{literal: s, lengthBytes: len(s)} }

func newPairFinder(off1 int, set1 *[256]bool, off2 int, set2 *[256]bool) finder {
	p := newPair(off1, set1, off2, set2)
	return finder{pair: p, search: kernel.Choose(pairVariants), lengthBytes: p.reach + 1}
}

func (f *finder) name() string {
	if f.pair == nil {
		return "literal"
	}
	return "byteset " + f.search.ISA.String()
}

// index returns the first candidate in b, -1 if there is none.
func (f *finder) index(b []byte) int {
	if f.pair == nil {
		return bytes.Index(b, f.literal)
	}
	return f.search.Func(f.pair, b)
}
