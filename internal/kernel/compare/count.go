package compare

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// counter is a form of the kernel that counts. It returns how many whole values of b fit;
// values begin every stride bytes, at least 1, from the start of b.
//
// The vector forms count bytes: where a value fits, a compare leaves ones in all its
// bytes, which is -1 in each, and subtracting them from a vector of sums adds one to the
// sum of each byte. Before a sum can overflow, all are added up and set back. Lanes
// between values are counted like all others and left out of the addition, so a stride
// costs nothing. In the end the count is divided by the bytes of a value.
type counter = func(b []byte, a *arc, stride int) int

// counters holds the forms of the kernel that counts, best first, for the same
// instruction sets as variants.
var counters = append(vectorCounters(), kernel.Variant[counter]{ISA: cpu.Plain, Func: countPlain})

// Count returns how many values of b fit. Values lie back to back from the start of b;
// bytes at the end that make no whole value are ignored. It reads nothing outside b and
// allocates nothing. A set of ranges that is no arc takes one pass for each of its arcs,
// over pieces that stay in the first-level cache.
func (p *Predicate) Count(b []byte) int { return p.CountStride(b, p.typ.width) }

// CountStride is Count for values that begin every stride bytes. The stride may be larger
// than the width, which leaves bytes out, or smaller, which makes values overlap. It
// panics when the stride is less than 1.
func (p *Predicate) CountStride(b []byte, stride int) int {
	if stride < 1 {
		panic(fmt.Sprintf("thresh: bug: values every %d bytes", stride))
	}
	switch {
	case len(b) < p.typ.width || len(p.fits) == 0:
		return 0
	case p.all:
		return (len(b)-p.typ.width)/stride + 1
	}
	// A step behind the end is as good as one to the end, and cannot overflow.
	stride = min(stride, len(b))
	overlapping := stride < p.typ.width && p.typ.width%stride == 0
	if len(p.arcs) == 1 && !overlapping {
		return p.count(b, &p.arcs[0], stride)
	}
	if len(p.arcs) > arcsMost.Get() {
		return p.countEach(b, stride)
	}
	return p.countPasses(b, stride, overlapping)
}

// arcsMost is how many passes at most take less time than looking at the values one by one.
var arcsMost = threshold.New("compare: ranges of values that are counted in a pass each", 16, 1)

// countEach counts the values one by one.
func (p *Predicate) countEach(b []byte, stride int) (n int) {
	for at := 0; at <= len(b)-p.typ.width; at += stride {
		if p.fits.contains(p.typ.rank(p.typ.decode(b[at:]))) {
			n++
		}
	}
	return n
}

// count calls the form that suits the length.
func (p *Predicate) count(b []byte, a *arc, stride int) int {
	if a.typ.short(b) {
		return countPlain(b, a, stride)
	}
	return p.counter.Func(b, a, stride)
}

// countPasses sums the counts of several passes: one for each arc of the set, as arcs have
// no value in common, and where values overlap and the stride divides the width, for each
// place in a width where a value may begin one over the values back to back from there.
func (p *Predicate) countPasses(b []byte, stride int, overlapping bool) int {
	const pieceBytes = 16 << 10
	step, shifts := stride, 1 // of one pass; the passes, stride bytes apart
	if overlapping {
		step, shifts = p.typ.width, p.typ.width/stride
	}
	// Values that begin in a piece belong to it. Those of one pass end with the piece, or
	// behind it where they overlap within a pass.
	piece := max(step, pieceBytes/step*step)
	behind := max(0, p.typ.width-step)
	n := 0
	for start := 0; len(b)-start >= p.typ.width; start += piece {
		for shift := range shifts {
			from := min(start+shift*stride, len(b))
			pass := b[from:min(from+piece+behind, len(b))]
			for i := range p.arcs {
				n += p.count(pass, &p.arcs[i], step)
			}
		}
	}
	return n
}
