package regex

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// finder finds places where a match may be: those of a literal or of a pair. It is immutable. The
// zero finder means that there is none.
type finder struct {
	literal     *pattern.Pattern
	pair        *pair // used if there is no literal
	search      kernel.Variant[pairFunc]
	lengthBytes int // how far a candidate extends from its start
}

// newLiteralFinder returns the finder of s, which is not empty.
func newLiteralFinder(s []byte) finder {
	p, err := pattern.Literal(s)
	if err != nil {
		panic("thresh: bug: a literal without bytes")
	}
	return finder{literal: p, lengthBytes: len(s)}
}

func newPairFinder(off1 int, set1 *[256]bool, off2 int, set2 *[256]bool) finder {
	p := newPair(off1, set1, off2, set2)
	return finder{pair: p, search: kernel.Choose(pairVariants), lengthBytes: p.reach + 1}
}

func (f *finder) exists() bool { return f.lengthBytes > 0 }

func (f *finder) name() string {
	if f.literal != nil {
		return "literal " + f.isa().String()
	}
	return "byteset " + f.isa().String()
}

func (f *finder) isa() cpu.ISA {
	if f.literal != nil {
		return f.literal.ISA()
	}
	return f.search.ISA
}

// shortBytes is the length from which a vector variant of a pair repays its set-up.
const shortBytes = 40

// index returns the index of the first candidate in b, -1 if there is none.
func (f *finder) index(b []byte) int {
	if f.literal != nil {
		return f.literal.Index(b)
	}
	if len(b) < shortBytes {
		return pairPlain(f.pair, b)
	}
	return f.search.Func(f.pair, b)
}
