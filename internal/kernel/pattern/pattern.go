// Package pattern finds bytes: literals, and hexadecimal patterns with wildcards for a
// byte or a nibble.
//
// The idea is that of the rarest pair. Of all positions of a pattern the two are chosen
// whose bytes are rarest in most data. For a vector of starting places at once, the bytes
// at both positions are compared; where both fit, which is seldom, the whole pattern is
// compared:
//
//	for each block of 64 starts i:
//	    candidates = (b[i+first:] == rare byte) & (b[i+second:] == other rare byte)
//	    if candidates are many:  compare further positions for all 64 starts at once
//	    for each candidate left: compare the whole pattern
//
// The vector forms depart from the plain one in that they work on blocks, and that the last
// block overlaps the one before it so that nothing outside the slice is read.
//
//go:generate go run ./gen
package pattern

import (
	"bytes"
	"errors"
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Pattern is what to look for. It is immutable and safe for concurrent use.
type Pattern struct {
	value, mask []byte     // a byte b fits position i when b&mask[i] == value[i]
	literal     bool       // no wildcards
	order       []position // by rarity; wildcards left out
	first       position   // of order; looked at before the others
	second      position   // the same again if there is one alone
	reach       int        // the larger offset of these two
	overlaps    bool
	probe       probe
	form        kernel.Variant[Func]
	counter     kernel.Variant[Counter]
}

// position is a place in the pattern and what must be there.
type position struct {
	off         int
	value, mask byte
}

// Func is a form of the search: it returns the index of the first occurrence of p that
// lies wholly inside b, -1 if there is none. It reads nothing outside b.
type Func = func(p *Pattern, b []byte) int

// Seeker is the part of a form that works on vectors. It returns the first place at from or
// behind it, but not behind the last place for p in b, at which p may begin: the pair fits
// there, and where b is long enough the probe as well. -1 says that there is none. b holds a
// vector and the pair. Some hundred KiB a call are enough, and a few MiB the most, as no
// goroutine can be stopped in one.
type Seeker = func(p *Pattern, b []byte, from int) int

// variants holds the forms, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: indexPlain})

// orderMax is how many positions are compared for a whole block of starts. A pattern that
// agrees with so many nearly always agrees as a whole.
const orderMax = 64

// Literal returns the pattern of the bytes of s, which must not be empty. s is copied.
func Literal(s []byte) (*Pattern, error) {
	if len(s) == 0 {
		return nil, errors.New("an empty text is everywhere; give at least one byte")
	}
	return newPattern(bytes.Clone(s), bytes.Repeat([]byte{0xff}, len(s))), nil
}

func newPattern(value, mask []byte) *Pattern {
	p := &Pattern{value: value, mask: mask, form: kernel.Choose(variants), counter: kernel.Choose(counters)}
	p.literal = !slices.ContainsFunc(mask, func(m byte) bool { return m != 0xff })
	for i, m := range mask {
		if m != 0 {
			p.order = append(p.order, position{i, value[i], m})
		}
	}
	slices.SortStableFunc(p.order, func(a, b position) int { return a.commonness() - b.commonness() })
	// A byte that is in the pattern twice says little more the second time: of the pair,
	// the second should differ from the first where that costs little.
	for i := 1; i < len(p.order); i++ {
		if p.order[i].value != p.order[0].value || p.order[i].mask != p.order[0].mask {
			p.order[1], p.order[i] = p.order[i], p.order[1]
			break
		}
	}
	p.order = p.order[:min(len(p.order), orderMax)]
	if n := len(p.order); n > 0 {
		p.first, p.second = p.order[0], p.order[min(1, n-1)]
		p.reach = max(p.first.off, p.second.off)
	}
	p.overlaps = overlapsItself(value, mask)
	p.probe = newProbe(value, mask)
	return p
}

// commonness ranks how often a position fits: a byte by its rank, a nibble above all of
// them, since sixteen bytes fit it.
func (p position) commonness() int {
	if p.mask != 0xff {
		return 256
	}
	return int(ranks[p.value])
}

// overlapsItself reports whether two occurrences can share bytes: whether the pattern fits
// itself when it is moved by less than its length.
func overlapsItself(value, mask []byte) bool {
	for d := 1; d < len(value); d++ {
		fits := true
		for i := 0; i+d < len(value) && fits; i++ {
			fits = (value[i]^value[i+d])&mask[i]&mask[i+d] == 0
		}
		if fits {
			return true
		}
	}
	return false
}

// Len returns the length of an occurrence in bytes.
func (p *Pattern) Len() int { return len(p.value) }

// Index returns the index of the first occurrence that lies wholly inside b, -1 if there
// is none. It does not allocate.
func (p *Pattern) Index(b []byte) int {
	if len(b) < shortBytes {
		return indexPlain(p, b)
	}
	return p.form.Func(p, b)
}

// shortBytes is from where on the set-up of a vector form pays.
const shortBytes = 48

// ISA returns the instruction set of the forms that Index and Count run.
func (p *Pattern) ISA() cpu.ISA { return p.form.ISA }

// Overlaps reports whether occurrences can share bytes.
func (p *Pattern) Overlaps() bool { return p.overlaps }

// FitsZeros reports whether the pattern occurs among zeros.
func (p *Pattern) FitsZeros() bool {
	return !slices.ContainsFunc(p.value, func(v byte) bool { return v != 0 })
}

// matches reports whether the pattern occurs at the start of b, which is at least as long.
func (p *Pattern) matches(b []byte) bool {
	b = b[:len(p.value)]
	if p.literal {
		return string(b) == string(p.value)
	}
	for i, v := range p.value {
		if b[i]&p.mask[i] != v {
			return false
		}
	}
	return true
}

// sure reports whether the pattern occurs at a place that a seeker has returned, which
// compared so many bytes of the probe.
func (p *Pattern) sure(b []byte, at, probed int) bool {
	return len(p.value) <= probed && at+probed <= len(b) || p.matches(b[at:])
}

// indexOn goes on with a search behind a place at which the pattern only may have begun.
func (p *Pattern) indexOn(seek Seeker, b []byte, at int) int {
	for failures := 1; at >= 0 && !p.matches(b[at:]); failures++ {
		if p.exhausted(failures, at) {
			return p.rest(b, at+1)
		}
		at = seek(p, b, at+1)
	}
	return at
}

// exhausted reports whether so many candidates came to nothing that the time is no longer
// linear in the i bytes behind the search. A literal is then better looked for by
// bytes.Index, which guarantees that.
func (p *Pattern) exhausted(failures, i int) bool {
	return p.literal && failures*len(p.value) > 16*(i+4096)
}

// rest searches b[i:] for a literal in linear time.
func (p *Pattern) rest(b []byte, i int) int {
	at := bytes.Index(b[i:], p.value)
	if at < 0 {
		return -1
	}
	return i + at
}
