package compare

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// counter is the signature of the kernel that counts. It returns how many whole values of b fit.
// Values begin every stride bytes from the start of b; stride is at least 1.
//
// The vector variants count bytes. If a value fits, the compare sets all bits of all its bytes,
// which is -1 in each, and subtracting that from a vector of sums adds one to the sum of each byte.
// The sums are added up and reset before one can overflow. Lanes between values are counted like
// all others but left out of the addition, so a stride costs nothing. At the end the count is
// divided by the width of a value.
type counter = func(b []byte, a *arc, stride int) int

// counters holds the variants of the counting kernel, best first, for the same instruction sets as
// variants.
var counters = append(vectorCounters(), kernel.Variant[counter]{ISA: cpu.Plain, Func: countPlain})

// Count returns how many values of b fit. Values are contiguous from the start of b; trailing bytes
// that are not a whole value are ignored. It reads nothing outside b and allocates nothing. If the
// set of ranges is not an arc, it takes one pass per arc, over pieces that stay in the first-level
// cache.
func (p *Predicate) Count(b []byte) int { return p.CountStride(b, p.typ.width) }

// CountStride is Count for values that begin every stride bytes. The stride may be larger than the
// width, which skips bytes, or smaller, which makes values overlap. It panics if stride is less
// than 1.
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
	// A stride past the end means the same as one to the end, and cannot overflow.
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

// arcsMost is the largest number of passes that is faster than testing the values one by one.
var arcsMost = threshold.New("compare: ranges counted in one pass each", 16, 1)

// countEach counts the values one by one.
func (p *Predicate) countEach(b []byte, stride int) (n int) {
	for at := 0; at <= len(b)-p.typ.width; at += stride {
		if p.fits.contains(p.typ.rank(p.typ.decode(b[at:]))) {
			n++
		}
	}
	return n
}

// count calls the variant that suits the length.
func (p *Predicate) count(b []byte, a *arc, stride int) int {
	switch {
	case a.typ.short(b):
		return countPlain(b, a, stride)
	case p.gathers(b, stride):
		return p.countGathered(b, a, stride)
	}
	return p.counter.Func(b, a, stride)
}

// countPasses sums the counts of several passes. Each arc of the set takes its own passes; arcs
// have no value in common. If values overlap and the stride divides the width, an arc needs one
// pass for every offset within a width at which a value may begin, over the contiguous values from
// there.
func (p *Predicate) countPasses(b []byte, stride int, overlapping bool) int {
	const pieceBytes = 16 << 10
	step, shifts := stride, 1 // the stride of a pass; the number of passes, stride bytes apart
	if overlapping {
		step, shifts = p.typ.width, p.typ.width/stride
	}
	// Values belong to the piece in which they begin. The values of a pass end within the piece, or
	// after it if they overlap within the pass.
	piece := max(step, pieceBytes/step*step)
	overhang := max(0, p.typ.width-step)
	n := 0
	for start := 0; len(b)-start >= p.typ.width; start += piece {
		for shift := range shifts {
			from := min(start+shift*stride, len(b))
			pass := b[from:min(from+piece+overhang, len(b))]
			for i := range p.arcs {
				n += p.count(pass, &p.arcs[i], step)
			}
		}
	}
	return n
}
