// Package compare finds the first value of a typed column that satisfies a predicate.
//
// One test serves all types and comparisons. Every value has a key, an unsigned number of its
// width. Picture the keys on a circle: the keys that satisfy a comparison form one arc, which
// begins at low and extends over span more keys:
//
//	key(v) - low <= span	(modulo 2 to the power of the width)
//
// Signed numbers need no key of their own, since differences are the same for both interpretations.
// A negated comparison is the rest of the circle, hence an arc as well. Floats get a key that rises
// with the value, see Type.rank: the NaNs lie outside the arc from -Inf to +Inf and the two zeros
// are neighbours, so IEEE 754 comparisons need no special cases.
//
// So an instruction set needs only four kernels, one per width. If any of several differences
// satisfies the test, the smallest one does. So a kernel subtracts, takes minimums, and compares
// once per block.
//
// Conditions that must all hold intersect to a set of ranges. If that set is an arc, one run of the
// kernel gives the answer, however many conditions there are. If it is not, as for "> 0 and != 10",
// the kernel finds candidates with the smallest arc that contains the set, and each candidate is
// verified. After a false one, the next values are tested one by one, so that many false candidates
// cost no more than plain Go.
//
// The same kernels serve a stride that is not the width of a value. If it is a small power of two,
// they mask the lanes between values; if it divides the width, they find the overlapping values in
// several passes over a piece that stays in the first-level cache. Values of all other strides are
// gathered in blocks.
package compare

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// arc is what a kernel looks for: values of a type with key(v)-low <= span, all modulo 2 to the
// power of the width. span is less than the highest key; the caller handles the case that every
// value fits.
type arc struct {
	typ       Type
	low, span uint64
}

// searcher is the signature of the kernel. It returns the index of the first byte of the first
// value of b that fits, or -1 if no whole value does. Values begin every stride bytes from the
// start of b; stride is at least 1 and at most len(b).
type searcher = func(b []byte, a *arc, stride int) int

// variants holds the kernel's variants, best first.
//
// The vector variants repeat each other, once per width and instruction set. They are written once,
// for 32 bits, and derived for the others; what differs is in small functions with a name for each.
var variants = append(vectorVariants(), kernel.Variant[searcher]{ISA: cpu.Plain, Func: indexPlain})
