// Package stats sums up a typed column in one pass: how many values it has and how many of
// them are NaN, the least and the greatest, the sum and the mean.
//
// Nothing is rounded before the end, so a summary does not depend on how a column is cut
// into calls and workers, in which order parts are merged, or on the instruction set.
//
// Integers become unsigned numbers of their width, signed ones by flipping the sign bit,
// which adds half the range and keeps the order; what is added is taken off again by the
// count of values. A vector kernel takes minimum and maximum of these and adds them in
// lanes so wide that a piece cannot overflow them.
//
// Floats are decoded to blocks of float64, whose sum is then peeled off from above by
// error-free vector transformation (Siegfried M. Rump, Takeshi Ogita, Shin'ichi Oishi,
// "Accurate floating-point summation", 2008). An accumulator that begins at 1.5 times a
// high enough power of two keeps its exponent, so its unit in the last place is fixed:
//
//	t = acc + x	rounds x to a multiple of that unit
//	q = t - acc	is what was added, exactly
//	x = x - q	is what remains, exactly, at most half a unit
//
// and the accumulator has the exact sum of all q. Remainders are peeled off again, with an
// accumulator of a smaller unit; mostly there are none after the second time, or after the
// first where values are whole numbers. The sums of the layers go to an exact.Float, one
// addition a layer and block. Blocks of float32 seldom need that: where their exponents
// differ by little, float64 additions make no error at all. What the vectors cannot do goes
// to the exact.Float value by value: infinities, values near the top of the range,
// remainders of many layers.
package stats

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// adder is a form of the kernel. It adds the values of b, which stand side by side and are
// at most pieceBytes in all, to its parts, integers with their bias.
type adder = func(s *scratch, c column, b []byte)

// variants holds the forms of the kernel, best first.
var variants = append(vectorVariants(), kernel.Variant[adder]{ISA: cpu.Plain, Func: addPlain})

const (
	// pieceBytes bounds the bytes of a call, which is what keeps lanes from overflowing.
	// The narrowest are those for 16-bit values: at least four lanes of 32 bits to a vector
	// of 16 bytes share the piece, each takes 2 values of less than 2^16 from a vector, and
	// 256 KiB / 16 B * 2 * 2^16 = 2^31.
	pieceBytes = 256 << 10

	// blockValues is the size of a block of floats, 8 KiB as float64: small enough for the
	// first-level cache, large enough to hide what a block costs at its end.
	blockValues = 1024
)

// column is what a kernel has to know of a type.
type column struct {
	typ  compare.Type
	bias uint64 // makes integers unsigned, by exclusive or
}

// Kernel adds up the values of one type. It is safe for concurrent use.
type Kernel struct {
	column
	variant kernel.Variant[adder]
}

// For returns the fastest kernel for the type that may run here. Choose once a job, not
// once a call.
func For(t compare.Type) *Kernel { return newKernel(t, kernel.Choose(variants)) }

func newKernel(t compare.Type, v kernel.Variant[adder]) *Kernel {
	return &Kernel{column{typ: t, bias: bias(t)}, v}
}

// bias returns the sign bit of signed integers: 0 for other types.
func bias(t compare.Type) uint64 {
	if t.Float() || !t.Signed() {
		return 0
	}
	return 1 << (8*t.Width() - 1)
}

// ISA returns the instruction set of the kernel.
func (k *Kernel) ISA() cpu.ISA { return k.variant.ISA }

// Add adds the whole values of b, which begin every stride bytes from its start, to the
// summary. The stride is at least 1; values may overlap. It panics on a summary of another
// type.
//
// The summary changes only after the last read of b. So if b is a mapping whose file
// shrank, and reading it faults and panics, the summary is as it was.
func (k *Kernel) Add(s *Summary, b []byte, stride int) {
	width := k.typ.Width()
	if stride < 1 {
		panic("thresh: bug: values every stride bytes, but the stride is less than 1")
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
		k.gather(&s.scratch, b, stride)
	}
	s.parts.ints.MulAdd(-int64(k.bias), s.parts.n)
	s.all.merge(&s.parts)
}

// short reports whether the set-up of a vector form does not pay, or it could do nothing.
func (c column) short(b []byte) bool {
	return len(b) < 128 || c.typ.Float() && len(b) < 32*c.typ.Width()
}

// add calls the form that suits the length.
func (k *Kernel) add(s *scratch, b []byte) {
	if k.short(b) {
		addPlain(s, k.column, b)
		return
	}
	k.variant.Func(s, k.column, b)
}

// gather puts values side by side, a block at a time.
func (k *Kernel) gather(s *scratch, b []byte, stride int) {
	width := k.typ.Width()
	for len(b) >= width {
		count := min((len(b)-width)/stride+1, blockValues)
		block := s.gathered[:count*width]
		switch width {
		case 1:
			for i := range block {
				block[i] = b[i*stride]
			}
		case 2:
			for i := range count {
				copy(block[2*i:][:2], b[i*stride:][:2])
			}
		case 4:
			for i := range count {
				copy(block[4*i:][:4], b[i*stride:][:4])
			}
		default:
			for i := range count {
				copy(block[8*i:][:8], b[i*stride:][:8])
			}
		}
		k.add(s, block)
		b = b[min(count*stride, len(b)):]
	}
}
