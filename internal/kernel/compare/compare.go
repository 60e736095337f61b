// Package compare finds the first value of a typed column that fits a predicate.
//
// One test serves all types and comparisons. Every value has a key, an unsigned number of
// its width; laid around a circle, the keys that fit a comparison are one arc, which
// begins at low and goes on for span more keys:
//
//	key(v) - low <= span	(modulo 2 to the power of the width)
//
// Signed numbers need no key of their own, as differences are the same for both readings.
// A negated comparison is the rest of the circle, so it is an arc as well. Floats get a
// key that rises with the value, see Type.rank: the NaNs lie outside the arc from -Inf to
// +Inf, the zeros side by side, and IEEE 754 holds without another thought.
//
// What remains for an instruction set is four kernels, one a width. As the least of
// several differences fits when any does, a kernel subtracts, takes minimums, and compares
// once a block.
//
// Conditions that must all hold intersect into a set of ranges. Where that set is an arc,
// the kernel answers alone, whatever the number of conditions. Where it is not, as for
// "> 0 and != 10", the kernel finds candidates by the smallest arc that holds the set, and
// each is verified; after a false one the next values are looked at one by one, so that
// many false candidates cost no more than plain Go.
//
// A step between values other than their width is served by the same kernels where it is
// a power of two: lanes between values are masked, and values that overlap are looked for
// in several passes over a piece that stays in the first-level cache. All other steps go
// to the plain form.
package compare

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// arc is what a kernel looks for: values of a type with key(v)-low <= span, all modulo 2
// to the power of the width. Span is less than the highest key: that every value fits is
// for the caller to see.
type arc struct {
	typ       Type
	low, span uint64
}

// searcher is a form of the kernel. It returns the index of the first byte of the first
// value of b that fits; values begin every stride bytes, which is at least 1 and at most
// len(b), from the start of b. It returns -1 if no whole value fits.
type searcher = func(b []byte, a *arc, stride int) int

// variants holds the forms of the kernel, best first.
var variants = append(vectorVariants(), kernel.Variant[searcher]{ISA: cpu.Plain, Func: indexPlain})
