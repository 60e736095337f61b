// Package pattern finds bytes: literals, and hexadecimal patterns with wildcards for a byte or a
// nibble.
//
// The idea is the rarest pair: of all positions of a pattern, the two whose bytes are rarest in
// most data. The bytes at both positions are compared for a whole vector of starting places at
// once. Where both match, which is seldom, the whole pattern is compared:
//
//	for each block of 64 starts i:
//	    candidates = (b[i+first:] == rare byte) & (b[i+second:] == other rare byte)
//	    if there are any:        candidates &= (b[i+doubt:] == the byte at doubt)
//	    for each candidate left: compare the whole pattern
//	                             if it does not match:  doubt = a position where it does not
//
// No table knows which bytes are rare in this text. Where the pair is in every line, the position
// that refuted the last candidate usually refutes the next one, too, and for all starts at once.
//
// The vector variants differ from the plain one in that they work on blocks, and that the last
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
	value, mask []byte     // a byte b matches position i if b&mask[i] == value[i]
	literal     bool       // no wildcards
	order       []position // by rarity, without wildcards
	first       position   // of order; compared before the others
	second      position   // the same as first if there is only one
	reach       int        // the larger offset of these two
	exact       bool       // neither of them has a wildcard
	third       int        // the offset that is compared next, until a candidate is refuted by another
	overlaps    bool
	probe       probe
	variant     kernel.Variant[Func]
	counter     kernel.Variant[Counter]
	cleaner     kernel.Variant[Cleaner]
}

// position is an offset in the pattern and what must be there.
type position struct {
	off         int
	value, mask byte
}

// Func is the signature of the search kernel: it returns the index of the first occurrence of p
// that lies completely inside b, or -1 if there is none. It reads nothing outside b.
type Func = func(p *Pattern, b []byte) int

// Seeker is the vector part of a variant. It returns the first place, at or after from and not
// after the last place for p in b, at which p may begin: the pair matches there, and so does the
// probe if b is long enough. It returns -1 if there is none. b must hold a vector and the pair.
// Some hundred KiB per call are enough, and a few MiB the maximum, because the scheduler cannot
// interrupt it.
//
// doubt is the offset of the position that candidates are tested for next, any in the pattern. The
// one that refuted the last candidate is returned, for the next call; NEON does not use it.
type Seeker = func(p *Pattern, b []byte, from, doubt int) (at, refuted int)

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: indexPlain})

// Literal returns the pattern of the bytes of s, which must not be empty. It copies s.
func Literal(s []byte) (*Pattern, error) {
	if len(s) == 0 {
		return nil, errors.New("an empty text matches everywhere; give at least one byte")
	}
	return newPattern(bytes.Clone(s), bytes.Repeat([]byte{0xff}, len(s))), nil
}

func newPattern(value, mask []byte) *Pattern {
	p := &Pattern{value: value, mask: mask, variant: kernel.Choose(variants), counter: kernel.Choose(counters),
		cleaner: kernel.Choose(cleaners)}
	p.literal = !slices.ContainsFunc(mask, func(m byte) bool { return m != 0xff })
	for i, m := range mask {
		if m != 0 {
			p.order = append(p.order, position{i, value[i], m})
		}
	}
	slices.SortStableFunc(p.order, func(a, b position) int { return a.commonness() - b.commonness() })
	// A byte that occurs twice in the pattern adds little the second time. So the second position
	// of the pair should have another byte, if there is one.
	for i := 1; i < len(p.order); i++ {
		if p.order[i].value != p.order[0].value || p.order[i].mask != p.order[0].mask {
			p.order[1], p.order[i] = p.order[i], p.order[1]
			break
		}
	}
	if n := len(p.order); n > 0 {
		p.first, p.second = p.order[0], p.order[min(1, n-1)]
		p.reach = max(p.first.off, p.second.off)
		p.exact = p.first.mask&p.second.mask == 0xff
		p.third = p.order[min(2, n-1)].off
	}
	p.overlaps = overlapsItself(value, mask)
	p.probe = newProbe(value, mask)
	return p
}

// Commonness ranks a byte by how common it is in most data; 0 is the rarest.
func Commonness(b byte) uint8 { return ranks[b] }

// commonness ranks how often a position matches: a byte by its rank, a letter by that of its more common
// case, a nibble above all bytes, since sixteen bytes match it.
func (p position) commonness() int {
	switch p.mask {
	case 0xff:
		return int(ranks[p.value])
	case 0xff &^ caseBit:
		return int(max(ranks[p.value], ranks[p.value|caseBit]))
	}
	return 256
}

// overlapsItself reports whether two occurrences can share bytes: whether the pattern matches
// itself when shifted by less than its length.
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

// Index returns the index of the first occurrence that lies completely inside b, or -1 if there is
// none. It does not allocate.
func (p *Pattern) Index(b []byte) int {
	if len(b) < shortBytes {
		return indexPlain(p, b)
	}
	return p.variant.Func(p, b)
}

// shortBytes is the length from which a vector variant repays its set-up.
const shortBytes = 48

// ISA returns the instruction set that Index and Count use.
func (p *Pattern) ISA() cpu.ISA { return p.variant.ISA }

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

// confirmed reports whether the pattern occurs at a place returned by a seeker, which compared probed
// bytes of the probe.
func (p *Pattern) confirmed(b []byte, at, probed int) bool {
	return len(p.value) <= probed && at+probed <= len(b) || p.matches(b[at:])
}

// indexFrom continues a search from at, a place where the pattern may begin.
func (p *Pattern) indexFrom(seek Seeker, b []byte, at int) int {
	for failures := 1; at >= 0 && !p.matches(b[at:]); failures++ {
		if p.exhausted(failures, at) {
			return p.rest(b, at+1)
		}
		at, _ = seek(p, b, at+1, p.mismatch(b[at:]))
	}
	return at
}

// mismatch returns the first offset at which b, which is long enough, differs from the pattern.
func (p *Pattern) mismatch(b []byte) int {
	i := 0
	for p.literal && i+probeBytes <= len(p.value) && string(b[i:i+probeBytes]) == string(p.value[i:i+probeBytes]) {
		i += probeBytes
	}
	for b[i]&p.mask[i] == p.value[i] {
		i++
	}
	return i
}

// exhausted reports whether so many candidates failed that the time is no longer linear in the i
// bytes searched. bytes.Index, which guarantees linear time, then does better for a literal.
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
