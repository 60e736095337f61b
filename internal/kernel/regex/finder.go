package regex

import (
	"bytes"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// finder finds places where a match may be: those of a literal or of a pair. A literal is
// found by the pair of its two rarest bytes. The zero finder is none.
type finder struct {
	literal     []byte
	pair        *pair // nil for a literal of one byte
	search      kernel.Variant[pairFunc]
	lengthBytes int // how far behind its start a candidate reaches
}

func newLiteralFinder(s []byte) finder {
	if len(s) < 2 {
		return finder{literal: s, lengthBytes: len(s)}
	}
	first, second := 0, 1
	for i := range s {
		switch {
		case commonness(s[i]) < commonness(s[first]):
			first, second = i, first
		case i != first && commonness(s[i]) < commonness(s[second]):
			second = i
		}
	}
	var set1, set2 [256]bool
	set1[s[first]], set2[s[second]] = true, true
	f := newPairFinder(first, &set1, second, &set2)
	f.literal, f.lengthBytes = s, len(s)
	return f
}

func newPairFinder(off1 int, set1 *[256]bool, off2 int, set2 *[256]bool) finder {
	p := newPair(off1, set1, off2, set2)
	return finder{pair: p, search: kernel.Choose(pairVariants), lengthBytes: p.reach + 1}
}

func (f *finder) exists() bool { return f.lengthBytes > 0 }

func (f *finder) name() string {
	switch {
	case f.pair == nil:
		return "literal"
	case f.literal == nil:
		return "byteset " + f.search.ISA.String()
	}
	return "literal " + f.search.ISA.String()
}

// index returns the first candidate in b, -1 if there is none.
func (f *finder) index(b []byte) int {
	if f.pair == nil {
		return bytes.IndexByte(b, f.literal[0])
	}
	for i := 0; ; i++ {
		at := f.search.Func(f.pair, b[i:])
		if at < 0 {
			return -1
		}
		if i += at; f.literal == nil || bytes.HasPrefix(b[i:], f.literal) {
			return i
		}
	}
}
