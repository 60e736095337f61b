package compare

import (
	"errors"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Predicate says which values of a type are looked for. It does not change and may be
// used by many goroutines at once.
type Predicate struct {
	typ     Type
	fits    ranges // the ranks of the values that fit
	arc     arc    // holds at least those; meaningless when fits is empty
	exact   bool   // arc holds nothing else
	all     bool   // every value fits
	arcs    []arc  // hold those and nothing else, each once; meaningless when all fit
	kernel  kernel.Variant[searcher]
	counter kernel.Variant[counter]
}

// Compile returns the predicate of values that fit the conditions, of which there must be one
// or more. Several of Equal are alternatives, of which a value fits any; so are several of
// Between, and NaN and Inf. All others must hold, and one of each kind of alternatives.
//
// It fails for bounds that are not numbers or do not fit the type, for Between with nothing in
// between, for NaN and Inf of an integer type, and for several conditions that no value of
// the type fits. One that no value fits is no error: the predicate finds nothing, without
// reading.
//
// Compile chooses the instruction set; call it once a job.
func Compile(t Type, conds []Condition) (*Predicate, error) {
	p, err := compile(t, conds, kernel.Choose(variants))
	if err == nil && len(p.fits) == 0 && len(conds) > 1 {
		return nil, contradiction(t, conds)
	}
	return p, err
}

func compile(t Type, conds []Condition, v kernel.Variant[searcher]) (*Predicate, error) {
	if t == (Type{}) {
		return nil, errors.New("compare: no type")
	}
	if len(conds) == 0 {
		return nil, fmt.Errorf("no comparison for the values of type %v", t)
	}
	p := &Predicate{typ: t, fits: interval(0, t.maxRank()), kernel: v,
		counter: kernel.Choose(counters)}
	var any [ops]ranges // alternatives, by kind
	for _, c := range conds {
		r, err := c.ranges(t)
		if err != nil {
			return nil, err
		}
		switch kind := c.Op; kind {
		case Inf:
			any[NaN] = append(any[NaN], r...)
		case Equal, Between, NaN:
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

// contradiction is the error for conditions that no value fits.
func contradiction(t Type, conds []Condition) error {
	var all []string
	for _, c := range conds {
		all = append(all, c.String())
	}
	return fmt.Errorf("no %v value is %s", t, strings.Join(all, " and "))
}

// simplify spares the kernel the keys of floats where it can, and the swap of bytes where a
// single value is looked for or left out: its constant is swapped instead.
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

// dropSign makes an arc of floats one of whole numbers where the values on it, or all
// others, have the same sign. The keys of positive floats are their bits. Those of negative
// ones fall as the bits rise, so the ends of the arc change places.
func (a *arc) dropSign() {
	sign, most := a.typ.signBit(), a.typ.maxRank()
	last := (a.low + a.span) & most
	next, previous := (last+1)&most, (a.low-1)&most // the ends of all others
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

// ISA returns the instruction set that Index and Count run on, and their forms with a stride where the stride is
// a power of two that suits it.
func (p *Predicate) ISA() cpu.ISA { return p.kernel.ISA }

// FitsZero reports whether a value of all zero bytes would fit. Where it would not, holes
// of sparse files need not be looked at.
func (p *Predicate) FitsZero() bool { return p.fits.contains(p.typ.rank(0)) }

// Fits reports whether the value that b begins with fits.
func (p *Predicate) Fits(b []byte) bool { return p.fits.contains(p.typ.rank(p.typ.decode(b))) }

// Index returns the index of the first byte of the first value of b that fits, -1 if none
// does. Values lie back to back from the start of b; bytes at the end that make no whole
// value are ignored. It reads nothing outside b and allocates nothing.
func (p *Predicate) Index(b []byte) int { return p.IndexStride(b, p.typ.width) }

// IndexStride is Index for values that begin every stride bytes. The stride may be larger
// than the width, which leaves bytes out, or smaller, which makes values overlap. It
// panics when the stride is less than 1.
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
	// A step behind the end is as good as one to the end, and cannot overflow.
	stride = min(stride, len(b))
	if p.exact {
		return p.candidate(b, stride)
	}
	return p.verified(b, stride)
}

// verified looks at the candidates that the arc gives.
func (p *Predicate) verified(b []byte, stride int) int {
	const lookAhead = 256 // values looked at one by one after a false candidate
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

// candidate returns the first value on the arc.
func (p *Predicate) candidate(b []byte, stride int) int {
	if stride < p.typ.width && p.typ.width%stride == 0 {
		return p.overlapping(b, stride)
	}
	return p.index(b, &p.arc, stride)
}

// short reports whether the set-up of a vector form does not pay: for less than eight values,
// or 32 bytes.
func (t Type) short(b []byte) bool { return len(b) < max(32, 8*t.width) }

// index calls the form that suits the length.
func (p *Predicate) index(b []byte, a *arc, stride int) int {
	if a.typ.short(b) {
		return indexPlain(b, a, stride)
	}
	return p.kernel.Func(b, a, stride)
}

// overlapping looks for values that begin every stride bytes, a divisor of the width: for
// each of the places in a width where a value may begin, those that lie back to back from
// there. It does so piece by piece, for the lowest hit of all passes. Pieces grow, so that
// a hit near the start is found soon.
func (p *Predicate) overlapping(b []byte, stride int) int {
	const firstBytes, mostBytes = 512, 16 << 10 // multiples of all widths
	width := p.typ.width
	for start, pieceBytes := 0, firstBytes; len(b)-start >= width; {
		best := -1
		limit := pieceBytes // values that begin behind it are of no interest
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
