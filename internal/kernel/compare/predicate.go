package compare

import (
	"errors"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/gather"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/question"
)

// Predicate says which values of a type to find. It is immutable and safe for concurrent use.
type Predicate struct {
	typ     Type
	fits    ranges // the ranks of the values that fit
	arc     arc    // contains at least those; undefined if fits is empty
	exact   bool   // arc contains nothing else
	all     bool   // every value fits
	arcs    []arc  // contain exactly those, each once; undefined if all fit
	kernel  kernel.Variant[searcher]
	counter kernel.Variant[counter]
	gather  kernel.Variant[gather.Func]
}

// Compile returns the predicate of the values that satisfy the conditions; there must be at least
// one. Several Equal conditions are alternatives: a value needs to satisfy only one of them. So are
// several Between conditions, and NaN and Inf. A value must satisfy all other conditions, and one
// of each kind of alternatives.
//
// It fails if a bound is not a number or does not fit the type, if a Between is empty, if NaN or
// Inf is asked of an integer type, and if no value of the type satisfies several conditions
// together. A single condition that no value satisfies is not an error: the predicate finds
// nothing, without reading.
//
// Compile chooses the instruction set; call it once per job.
func Compile(t Type, conds []question.Condition) (*Predicate, error) {
	p, err := compile(t, conds, kernel.Choose(variants))
	if err == nil && len(p.fits) == 0 && len(conds) > 1 {
		return nil, contradiction(t, conds)
	}
	return p, err
}

func compile(t Type, conds []question.Condition, v kernel.Variant[searcher]) (*Predicate, error) {
	if t == (Type{}) {
		return nil, errors.New("compare: no type")
	}
	if len(conds) == 0 {
		return nil, fmt.Errorf("no comparison for the values of type %v", t)
	}
	p := &Predicate{typ: t, fits: interval(0, t.maxRank()), kernel: v,
		counter: kernel.Choose(counters), gather: gather.Best()}
	var any [question.IsInf + 1]ranges // alternatives, by kind of operator
	for _, c := range conds {
		r, err := t.ranges(c)
		if err != nil {
			return nil, err
		}
		switch kind := c.Op; kind {
		case question.IsInf:
			any[question.IsNaN] = append(any[question.IsNaN], r...)
		case question.Equal, question.Between, question.IsNaN:
			any[kind] = append(any[kind], r...)
		default:
			p.fits = p.fits.intersect(r)
		}
	}
	for _, r := range any {
		if len(r) > 0 {
			p.fits = p.fits.intersect(r.union())
		}
	}
	if len(p.fits) == 0 {
		return p, nil
	}
	low, span, exact := p.fits.cover(t.maxRank())
	p.arc, p.exact, p.all = arc{t, low ^ t.bias(), span}, exact, span == t.maxRank()
	p.arc.simplify()
	p.arcs = p.fits.arcs(t)
	return p, nil
}

// contradiction is the error for conditions that no value satisfies.
func contradiction(t Type, conds []question.Condition) error {
	var all []string
	for _, c := range conds {
		all = append(all, c.String())
	}
	return fmt.Errorf("no %v value is %s", t, strings.Join(all, " and "))
}

// simplify spares the kernel computing the keys of floats where possible. It also spares it the
// byte swap if a single value is searched or excluded, by swapping the constant instead.
func (a *arc) simplify() {
	if a.typ.Float() {
		a.dropSign()
	}
	if !a.typ.bigEndian || a.typ.Float() {
		return
	}
	switch a.span {
	case 0:
		a.low = a.typ.swap(a.low)
	case a.typ.maxRank() - 1: // all but the one below low
		but := (a.low - 1) & a.typ.maxRank()
		a.low = (a.typ.swap(but) + 1) & a.typ.maxRank()
	default:
		return
	}
	a.typ.bigEndian = false
}

// dropSign turns an arc of floats into one of integers if all values on it, or all others, have the
// same sign. The keys of positive floats are their bits. Those of negative floats fall as the bits
// rise, so the two ends of the arc change places.
func (a *arc) dropSign() {
	sign, most := a.typ.signBit(), a.typ.maxRank()
	last := (a.low + a.span) & most
	next, previous := (last+1)&most, (a.low-1)&most // the ends of the rest of the circle
	negative := false
	switch {
	case a.low <= last && (a.low^last)&sign == 0:
		negative = last&sign != 0
	case next <= previous && (next^previous)&sign == 0:
		negative = previous&sign != 0
	default:
		return
	}
	if negative {
		a.low = last ^ most>>1
	}
	a.typ.kind = unsigned
}

// ISA returns the instruction set of the kernels.
func (p *Predicate) ISA() cpu.ISA { return p.kernel.ISA }

// FitsZero reports whether a value of all zero bytes fits. If not, holes of sparse files need not
// be searched.
func (p *Predicate) FitsZero() bool { return p.fits.contains(p.typ.rank(0)) }

// Fits reports whether the first value of b fits.
func (p *Predicate) Fits(b []byte) bool { return p.fits.contains(p.typ.rank(p.typ.decode(b))) }

// Index returns the index of the first byte of the first value of b that fits, or -1 if none does.
// Values are contiguous from the start of b; trailing bytes that are not a whole value are ignored.
// It reads nothing outside b and allocates nothing.
func (p *Predicate) Index(b []byte) int { return p.IndexStride(b, p.typ.width) }

// IndexStride is Index for values that begin every stride bytes. The stride may be larger than the
// width, which skips bytes, or smaller, which makes values overlap. It panics if stride is less
// than 1.
func (p *Predicate) IndexStride(b []byte, stride int) int {
	if stride < 1 {
		panic(fmt.Sprintf("thresh: bug: values every %d bytes", stride))
	}
	switch {
	case len(b) < p.typ.width || len(p.fits) == 0:
		return -1
	case p.all:
		return 0
	}
	// A stride past the end means the same as one to the end, and cannot overflow.
	stride = min(stride, len(b))
	if p.exact {
		return p.candidate(b, stride)
	}
	return p.verified(b, stride)
}

// verified tests the candidates that the arc gives.
func (p *Predicate) verified(b []byte, stride int) int {
	const lookAhead = 256 // values tested one by one after a false candidate
	for start := 0; len(b)-start >= p.typ.width; {
		i := p.candidate(b[start:], min(stride, len(b)-start))
		if i < 0 {
			return -1
		}
		start += i
		for n := 0; n < lookAhead && len(b)-start >= p.typ.width; n++ {
			if p.fits.contains(p.typ.rank(p.typ.decode(b[start:]))) {
				return start
			}
			start += stride
		}
	}
	return -1
}

// candidate returns the index of the first value on the arc.
func (p *Predicate) candidate(b []byte, stride int) int {
	if stride < p.typ.width && p.typ.width%stride == 0 {
		return p.overlapping(b, stride)
	}
	return p.index(b, &p.arc, stride)
}

// short reports whether b is too short to repay the set-up of a vector variant: less than eight
// values, or 32 bytes.
func (t Type) short(b []byte) bool { return len(b) < max(32, 8*t.width) }

// index calls the variant that suits the length.
func (p *Predicate) index(b []byte, a *arc, stride int) int {
	switch {
	case a.typ.short(b):
		return indexPlain(b, a, stride)
	case p.gathers(b, stride):
		return p.indexGathered(b, a, stride)
	}
	return p.kernel.Func(b, a, stride)
}

// overlapping finds values that begin every stride bytes, where stride divides the width. For each
// offset within a width at which a value may begin, a pass searches the contiguous values from
// there. It works piece by piece and takes the lowest match of all passes. Pieces grow, so that a
// match near the start is found soon.
func (p *Predicate) overlapping(b []byte, stride int) int {
	const firstBytes, mostBytes = 512, 16 << 10 // multiples of all widths
	width := p.typ.width
	for start, pieceBytes := 0, firstBytes; len(b)-start >= width; {
		best := -1
		limit := pieceBytes // values that begin after it do not matter
		for shift := 0; shift < min(width, limit); shift += stride {
			pass := b[min(start+shift, len(b)):min(start+limit+width-1, len(b))]
			if i := p.index(pass, &p.arc, width); i >= 0 {
				best, limit = shift+i, min(limit, shift+i)
			}
		}
		if best >= 0 {
			return start + best
		}
		start += pieceBytes
		pieceBytes = min(2*pieceBytes, mostBytes)
	}
	return -1
}
