// Package stats summarizes a typed column in one pass: the number of values, of NaNs and
// of infinities, minimum, maximum, sum and mean.
//
// Nothing is rounded before the end. So a summary depends neither on how a column is divided among
// calls and workers, nor on the order in which parts are merged, nor on the instruction set.
//
// Integers become unsigned numbers of their width. Signed ones do so by flipping the sign bit,
// which adds half the range and keeps the order; the count of values times that amount is
// subtracted again at the end. A vector kernel takes their minimum and maximum, and adds them in
// lanes so wide that a piece cannot overflow them.
//
// Floats are decoded to blocks of float64. Their sum is then peeled off in layers, from the top, by
// error-free vector transformation (Siegfried M. Rump, Takeshi Ogita, Shin'ichi Oishi, "Accurate
// floating-point summation", 2008). An accumulator that begins at 1.5 times a high enough power of
// two keeps its exponent, so its unit in the last place is fixed:
//
//	t = acc + x	rounds x to a multiple of that unit
//	q = t - acc	is what was added, exactly
//	x = x - q	is what remains, exactly, at most half a unit
//
// and the accumulator has the exact sum of all q. Remainders are peeled off again, with an
// accumulator of a smaller unit. Usually none remain after the second layer, or after the first if
// the values are integers. The sums of the layers are added to an exact.Float, one addition per
// layer and block. Blocks of float32 seldom need any of this: if their exponents differ by little,
// float64 additions are exact. Values that vectors cannot handle are added to the exact.Float one
// by one: infinities, values near the top of the range, and remainders after many layers.
package stats

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/gather"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// adder is the signature of the kernel. It adds the values of b, contiguous and at most pieceBytes,
// to the parts of s; integers with their bias.
type adder = func(s *scratch, c column, b []byte)

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[adder]{ISA: cpu.Plain, Func: addPlain})

const (
	// pieceBytes bounds the bytes of a call, so that lanes cannot overflow. The narrowest lanes are
	// those for 16-bit values: at least four lanes of 32 bits per 16-byte vector share the piece,
	// each adds 2 values below 2^16 per vector, and 256 KiB / 16 B * 2 * 2^16 = 2^31.
	pieceBytes = 256 << 10

	// blockValues is the size of a block of floats, 8 KiB as float64: small enough for the
	// first-level cache, large enough to hide the cost of finishing a block.
	blockValues = 1024
)

// column is what a kernel needs to know about the type.
type column struct {
	typ  compare.Type
	bias uint64 // makes integers unsigned, by exclusive or
}

// Kernel adds up the values of one type. It is safe for concurrent use.
type Kernel struct {
	column
	variant kernel.Variant[adder]
	gather  kernel.Variant[gather.Func]
}

// For returns the fastest kernel for the type that can run here. Choose once per job, not once per
// call.
func For(t compare.Type) *Kernel { return newKernel(t, kernel.Choose(variants)) }

func newKernel(t compare.Type, v kernel.Variant[adder]) *Kernel {
	if t.Narrow() && t.Width() == 1 {
		v = kernel.Variant[adder]{ISA: cpu.Plain, Func: addPlain} // a table of 256 counts
	}
	return &Kernel{column{typ: t, bias: bias(t)}, v, gather.Best()}
}

// bias returns the sign bit for signed integers, 0 for other types.
func bias(t compare.Type) uint64 {
	if t.Float() || !t.Signed() {
		return 0
	}
	return 1 << (8*t.Width() - 1)
}

// ISA returns the instruction set of the kernel.
func (k *Kernel) ISA() cpu.ISA { return k.variant.ISA }

// Add adds the whole values of b, which begin every stride bytes from its start, to the summary.
// The stride is at least 1; values may overlap. It panics if the summary is of another type.
//
// The summary changes only after the last read of b. So if b is a mapping whose file shrank, and
// reading it faults and panics, the summary is unchanged.
func (k *Kernel) Add(s *Summary, b []byte, stride int) {
	width := k.typ.Width()
	if stride < 1 {
		panic("thresh: bug: the stride is less than 1")
	}
	if s.typ != k.typ {
		panic("thresh: bug: a summary of " + s.typ.String() + " is given values of " + k.typ.String())
	}
	s.parts = none()
	if stride == width {
		for b = b[:len(b)-len(b)%width]; len(b) > 0; {
			n := min(len(b), pieceBytes)
			k.add(&s.scratch, b[:n])
			b = b[n:]
		}
	} else {
		k.gathered(&s.scratch, b, stride)
	}
	s.parts.ints.MulAdd(-int64(k.bias), s.parts.n)
	s.all.merge(&s.parts)
}

// short reports whether b is too short to repay the set-up of a vector variant, or for it to
// work at all.
func (c column) short(b []byte) bool {
	return len(b) < 128 || c.typ.Float() && len(b) < 32*c.typ.Width()
}

// add calls the variant that suits the length.
func (k *Kernel) add(s *scratch, b []byte) {
	if k.short(b) {
		addPlain(s, k.column, b)
		return
	}
	k.variant.Func(s, k.column, b)
}

// gathered adds values that are not contiguous, a block at a time.
func (k *Kernel) gathered(s *scratch, b []byte, stride int) {
	width := k.typ.Width()
	for left := gather.Count(b, width, stride); left > 0; {
		values := min(left, blockValues)
		block := s.gathered[:values*width]
		k.gather.Func(block, b, width, stride)
		k.add(s, block)
		if left -= values; left > 0 {
			b = b[values*stride:]
		}
	}
}
